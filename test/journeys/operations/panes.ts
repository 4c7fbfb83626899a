import { type Model, type Pane, RUNNING, type State } from "../model.ts";
import { type Operation, oneOf, type Plan } from "../operation.ts";

/** Agents in panes: a program in a shell, or as the pane's own command. */
export const paneOperations: readonly Operation[] = [
  {
    name: "start in a new shell, and add it",
    weight: 2,
    plan: (model) => opened(model, "bash", "add"),
  },
  {
    name: "start in a new shell, and add it with --pipe",
    weight: 2,
    plan: (model) => opened(model, "bash", "pipe"),
  },
  {
    name: "start as a pane's own command, and add it",
    weight: 2,
    plan: (model) => opened(model, undefined, "add"),
  },
  {
    name: "start as a pane's own command, and add it with --pipe",
    weight: 2,
    plan: (model) => opened(model, undefined, "pipe"),
  },
  {
    name: "start in a new shell, and discover it",
    weight: 2,
    plan: (model) => opened(model, "bash", "discover"),
  },
  {
    name: "start again where it ended",
    weight: 14,
    plan: (model, chance) =>
      oneOf(
        chance,
        panesOf(model, ({ exists, program }) => exists && program === "none"),
        (pane) => ({
          lines: [
            pane.shell === undefined
              ? `tmux respawn-pane -t ${pane.session}`
              : `tmux send-keys -t ${pane.session} claude Enter`,
            `shows ${pane.session} 'for shortcuts'`,
          ],
          // What the program before it was seen doing says nothing about this one.
          apply: () => Object.assign(pane, { program: "idle", ended: undefined, read: undefined }),
        }),
      ),
  },
  doing("work", "w", "working", "esc to interrupt"),
  doing("finish a turn", "f", "idle", "for shortcuts"),
  doing("ask a person", "a", "asking", "Do you want to proceed"),
  doing("hit a limit", "l", "limited", "hit your session limit"),
  ending("crash with a traceback", "c", "Node.js v", { word: true, clean: false }),
  ending("exit 0", "0", "", { word: false, clean: true }),
  ending("exit 1", "1", "", { word: false, clean: false }),
  killing("kill -9 while it works", "working", "w", "esc to interrupt"),
  killing("kill -9 at a dialog", "asking", "a", "Do you want to proceed"),
  killing("kill -9 at an idle prompt", "idle", "f", "for shortcuts"),
  closing("kill the pane", (session) => `tmux kill-pane -t ${session}`),
  closing("kill the session", (session) => `tmux kill-session -t ${session}`),
  {
    name: "kill the tmux server",
    weight: 2,
    plan: (model) => {
      const there = panesOf(model, ({ exists }) => exists);
      if (there.length === 0) return undefined;
      return {
        lines: ["tmux kill-server"],
        apply: () => {
          for (const pane of there) close(pane);
        },
      };
    },
  },
];

function panesOf(model: Model, wanted: (pane: Pane) => boolean): readonly Pane[] {
  return [...model.panes.values()].filter(wanted);
}

/** How many panes a journey has at most: each is a program that runs. */
const MOST = 4;

/** Lines that make a session in which the program runs, and wait until it can be seen. */
export function openPane({ session, shell }: Pick<Pane, "session" | "shell">): readonly string[] {
  const run = `tmux new-session -d -s ${session} -x 100 -y 30`;
  const lines =
    shell === undefined
      ? [`${run} claude \\; set-option -t ${session} remain-on-exit on`]
      : [`${run} ${shell}`, `tmux send-keys -t ${session} claude Enter`];
  return [...lines, `shows ${session} 'for shortcuts'`];
}

export function newPane(session: string, shell: Pane["shell"], piped = false): Pane {
  return {
    session,
    shell,
    piped,
    exists: true,
    program: "idle",
    seen: false,
    read: undefined,
    ended: undefined,
  };
}

function opened(model: Model, shell: Pane["shell"], how: "add" | "pipe" | "discover"): Plan | undefined {
  if (model.panes.size >= MOST || model.broken || (!model.up && model.file !== model.active))
    return undefined;
  model.made += 1;
  const session = `p${model.made}`;
  const command =
    how === "discover"
      ? "rollcall agents discover --add"
      : `rollcall agents add ${session} --tmux ${session}${how === "pipe" ? " --pipe" : ""}`;
  return {
    lines: [...openPane({ session, shell }), command],
    says: session,
    apply: () => {
      model.panes.set(session, newPane(session, shell, how === "pipe"));
      model.add(session, undefined, "pane");
      if (how !== "discover") return;
      // Whatever else runs there and is on no roll is found, too.
      for (const pane of panesOf(model, ({ program, exists }) => exists && program !== "none"))
        if (!model.agents.has(pane.session)) model.add(pane.session, undefined, "pane");
    },
  };
}

/** The program does something that its screen shows. */
function doing(name: string, key: string, program: Pane["program"], shown: string): Operation {
  return {
    name,
    weight: 9,
    plan: (model, chance) =>
      oneOf(
        chance,
        panesOf(model, (pane) => runs(pane) && pane.program !== program),
        (pane) => ({
          lines: [`tmux send-keys -t ${pane.session} ${key}`, `shows ${pane.session} '${shown}'`],
          apply: () => Object.assign(pane, { program }),
        }),
      ),
  };
}

const runs = ({ exists, program }: Pane): boolean => exists && program !== "none";

interface End {
  /** Whether the screen shows that it did not end well. */
  readonly word: boolean;
  readonly clean: boolean;
}

function ending(name: string, key: string, shown: string, end: End): Operation {
  return {
    name,
    weight: 4,
    plan: (model, chance) =>
      oneOf(chance, panesOf(model, runs), (pane) => ({
        lines: [
          `tmux send-keys -t ${pane.session} ${key}`,
          ...(shown === "" || pane.shell === undefined ? [] : [`shows ${pane.session} '${shown}'`]),
          ...awaited(model, pane, end),
        ],
        apply: () => over(pane, end),
      })),
  };
}

function killing(name: string, program: Pane["program"], key: string, shown: string): Operation {
  return {
    name,
    weight: 14,
    plan: (model, chance) =>
      oneOf(
        chance,
        panesOf(model, (pane) => runs(pane) && (model.up ? pane.program === program : true)),
        (pane) => ({
          lines: [
            ...(pane.program === program
              ? []
              : [`tmux send-keys -t ${pane.session} ${key}`, `shows ${pane.session} '${shown}'`]),
            `kill -9 "$(program ${pane.session})"`,
            ...awaited(model, pane, KILLED),
          ],
          // Its log tells what it did last, until tmux tells that it has ended.
          ...(pane.piped ? { through: { [pane.session]: RUNNING[program] } } : {}),
          apply: () => over(pane, KILLED),
        }),
      ),
  };
}

const KILLED: End = { word: true, clean: false };

/** The program is gone; and it is there again where the ladder of its agent sees to that. */
function awaited(model: Model, { session, shell }: Pane, { clean }: End): readonly string[] {
  const agent = model.agents.get(session);
  const comes = model.up && shell === undefined && !clean && agent?.recovers === true && !agent.paused;
  return comes ? [`ended ${session}`, `back ${session}`] : [`ended ${session}`];
}

function over(pane: Pane, end: End): void {
  pane.program = "none";
  pane.ended = endOf(pane, end);
}

/**
 * As the pane's own command its exit status is known. In a shell nobody can tell an exit with 0 from one with 1: what
 * it was last seen doing decides, unless the screen shows a word of a bad end.
 */
function endOf({ shell, read }: Pane, { word, clean }: End): readonly State[] {
  if (shell === undefined) return clean ? ["resting"] : ["dead"];
  if (read === undefined) return ["new", "unknown", "resting", "dead"];
  return word || read !== "idle" ? ["dead"] : ["resting"];
}

function closing(name: string, line: (session: string) => string): Operation {
  return {
    name,
    weight: 3,
    plan: (model, chance) =>
      oneOf(
        chance,
        panesOf(model, ({ exists }) => exists),
        (pane) => ({ lines: [line(pane.session)], apply: () => close(pane) }),
      ),
  };
}

/** A session that goes did not say that it finished; one whose program had rested before may count either way. */
function close(pane: Pane): void {
  const rested = pane.ended?.includes("resting") ?? false;
  pane.exists = false;
  pane.program = "none";
  if (!pane.seen) pane.ended = undefined;
  else pane.ended = rested ? ["resting", "dead"] : ["dead"];
}
