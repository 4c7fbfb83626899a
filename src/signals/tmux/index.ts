import * as z from "zod";
import type { Incarnation } from "../../core/beat.ts";
import type { Instant } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import type { Observation } from "../../core/liveness/observation.ts";
import type { Machine } from "../../core/screen/machine.ts";
import type { ReadingState } from "../../core/screen/reading.ts";
import type { Frame } from "../../core/screen/screen.ts";
import { type Look, NothingToShow, type SignalReader, type TerminalSeen } from "../../ports/signal.ts";
import { type Runner, runProgram } from "../../system/exec.ts";
import { openProc, type Proc } from "../../system/proc.ts";
import { Tmux, type TmuxServer } from "../../system/tmux.ts";
import { endOf, type Pane, type PaneEnd } from "../../system/tmux-pane.ts";
import { tmuxCommand } from "../../system/tmux-servers.ts";
import type { SignalAdapter, SignalDeps } from "../kit/adapter.ts";
import { Existence, lifeShape } from "../kit/existence.ts";
import { partsOf } from "../kit/look-once.ts";
import type { Probe } from "../kit/probe.ts";
import { screenFacts } from "../screens/screen-facts.ts";
import { choosePane, type Followed, newestOf, scopeOf } from "./choose.ts";
import { frontOf } from "./front.ts";
import { sayTarget, type TmuxSettings, tmuxSettings } from "./settings.ts";
import { isIdleShell } from "./shell.ts";
import { View } from "./view.ts";

/** What a tmux signal needs besides its settings. */
export interface TmuxMeans {
  /** Turns a screen into facts. It is asked at each look, also when nothing was written (`bytes` is 0). */
  readonly read: (frame: Frame, look: Look) => Promise<readonly Observation[]>;
  /** Another program is in the pane: what the last one has shown tells nothing of it. */
  readonly forget?: () => void;
  readonly run?: Runner;
  readonly proc?: Proc;
  /** Asks the machine about the pane's program; without it only its foreground is known. */
  readonly probe?: Probe;
  /** Whether the program seemed busy at the last look: only then are its connections asked for. */
  readonly isBusy?: () => boolean;
}

const followedBefore = z.object({
  pane: z.object({ sitting: z.string(), id: z.string(), newest: z.number(), pid: z.number() }).optional(),
  job: lifeShape.optional(),
});

/**
 * Follows an agent's tmux pane. A session that was there and is gone did not say that it finished: that is an end,
 * and not a clean one. A session that was never there is not an end, because there was no life: that it is not there
 * is said as a `degraded` fact (also so that an older "it is there" no longer counts), which makes an orphan of work that
 * is recorded as under way.
 */
export function tmuxSignal(settings: TmuxSettings, memory: unknown, means: TmuxMeans): SignalReader {
  const { read, run = runProgram, proc = openProc(), probe, isBusy = () => false } = means;
  const tmux = new Tmux(settings, run);
  const name = sayTarget(settings);
  const existence = new Existence("tmux", memory);
  const before = followedBefore.safeParse(memory).data;
  let followed: (Followed & { pid: number }) | undefined = before?.pane;
  /** The program that was last in front of the pane's shell. */
  let job = before?.job;
  let told: { readonly machine: Machine; readonly at: number } | undefined;
  let shown: TerminalSeen | undefined;
  let life: Incarnation | undefined = existence.life;
  let view = new View();
  let untoldSince: number | undefined;

  /** Nothing is where the pane was. */
  const missing = (look: Look, what: "server" | "session" | "pane"): readonly Observation[] => {
    if (!existence.isKnown)
      return existence.absent(look, `${name} does not exist: ${hintFor(what, settings)}`);
    // Renamed, moved, or a server that we cannot reach from here: what runs on is not gone.
    if (!existence.hasEnded && life !== undefined && proc.isAlive(life)) {
      const problem = `${name} no longer exists, but its process ${life.pid} is still running: ${hintFor(what, settings)}`;
      return existence.unclear(look, problem);
    }
    return existence.gone(look, { clean: false, exit: `the tmux ${what} is gone`, lost: true });
  };

  /** What the machine tells of the pane's terminal, as a fact if it is new. */
  const askMachine = async (look: Look, pane: Pane, isNew: boolean) => {
    const fronted = frontOf(pane, proc, look.now, job);
    if (fronted === undefined) return { facts: [] };
    job = fronted.job;
    const { front } = fronted.machine;
    const { pid, terminal, alternate, paste, cursor } = pane;
    // A program that draws for itself takes keys: its mode tells nothing.
    const isPlain = !alternate && !paste && !cursor.hidden;
    const more =
      front === "program"
        ? await probe?.({
            pid,
            now: look.now,
            abort: look.abort,
            ...(isPlain && { terminal }),
            wire: isBusy(),
          })
        : undefined;
    const machine: Machine = { ...fronted.machine, ...more };
    const same = told?.machine.front === front && told.machine.program === machine.program;
    const isKnown = same && told !== undefined && outlineOf(told.machine) === outlineOf(machine);
    told = { machine, at: same && told !== undefined ? told.at : look.now };
    const fact = { kind: "machine", signal: "tmux", at: told.at, seenAt: look.now, ...machine } as const;
    return { machine, facts: isKnown && !isNew ? [] : [fact] };
  };

  const seen = async (look: Look, pane: Pane): Promise<readonly Observation[]> => {
    const isNew = existence.isNew(look);
    let capture: string | undefined;
    if (isNew || view.mayHaveChanged(pane)) {
      const captured = await tmux.capture(pane.id, look.abort, true);
      if (captured.how === "unclear") return existence.unclear(look, captured.problem);
      // It went between our two questions: the next look tells.
      if (captured.how === "absent") return [];
      capture = captured.value;
    }
    const seenNow = proc.stat(pane.pid)?.life;
    // It went after tmux had listed it: the next look tells how.
    if (seenNow === undefined && life?.pid === pane.pid) return [];
    life = seenNow;
    // A shell outlives the programs that are started in it: its life is not the agent's.
    const there = existence.there(look, life && isIdleShell(proc.command(pane.pid)) ? undefined : life);
    const { machine, facts } = await askMachine(look, pane, isNew);
    shown = { cols: pane.size.width, rows: pane.size.height, ...(machine && { machine }) };
    const frame = { ...view.frame(pane, look.now, capture), ...(machine && { machine }) };
    const said = await read(frame, isNew ? { ...look, fresh: true } : look);
    // What the screen tells of the program's end counts more than that its pane is there.
    const ended = said.some(({ kind }) => kind === "gone");
    return [...(ended ? [] : there), ...facts, ...view.activity(frame, look.now), ...said];
  };

  return {
    signal: "tmux",
    async look(look) {
      const answer = await tmux.panes(scopeOf(settings), look.abort);
      if (answer.how === "unclear") return existence.unclear(look, answer.problem);
      if (answer.how === "absent") return missing(look, answer.what);
      const panes = answer.value;
      const pane = choosePane(panes, settings, followed);
      if (pane === undefined) return missing(look, "pane");
      const { id, sitting, pid } = pane;
      const isOther = followed?.id !== id || followed.sitting !== sitting || followed.pid !== pid;
      if (isOther) {
        view = new View();
        untoldSince = undefined;
        job = undefined;
        told = undefined;
        if (followed !== undefined) means.forget?.();
      }
      // One that came and went between two looks has an end of its own.
      if (isOther && pane.end !== undefined) existence.forget();
      followed = { id, sitting, pid, newest: newestOf(panes) };
      if (pane.end === undefined) return seen(look, pane);
      const { isTold, ...end } = endOfPane(pane, pane.end, proc);
      untoldSince = isTold ? undefined : (untoldSince ?? look.now);
      if (untoldSince !== undefined && look.now - untoldSince < STATUS_LIMIT) return [];
      return existence.gone(look, end);
    },
    memory: () => given({ ...existence.memory(), pane: followed, job }),
    terminal: () => shown,
    async show(how) {
      const listed = await tmux.panes(scopeOf(settings));
      const pane = listed.how === "answered" ? choosePane(listed.value, settings, followed) : undefined;
      const shown = pane && (await tmux.capture(pane.id, undefined, how === "raw"));
      if (shown?.how === "answered") return shown.value;
      const answer = shown ?? listed;
      if (answer.how === "unclear") throw new NothingToShow(answer.problem);
      const what = answer.how === "absent" ? answer.what : "pane";
      throw new NothingToShow(`${name} does not exist: ${hintFor(what, settings)}`);
    },
    close() {},
  };
}

/**
 * A pane is dead a moment before tmux has fetched its program's status, and tmux 3.3a often does not fetch it before another of its
 * programs ends. Until then the kernel keeps it.
 */
function endOfPane({ pid }: Pane, end: PaneEnd, proc: Proc): PaneEnd {
  return end.isTold ? end : endOf(proc.ended(pid));
}

/** What of the machine's facts is told again when it changes; times move at every look. */
function outlineOf({ terminal, wire, children }: Machine): string {
  return JSON.stringify([terminal, wire?.open, children?.map(({ name }) => name)]);
}

/** Readings under which the connections of a program tell something. */
const BUSY: readonly (ReadingState | undefined)[] = [
  ...["working", "retrying", "spinning", "looping", "limited"],
  undefined,
] as const;

/** How long tmux may take to tell how a pane's program ended before the end is told without it. */
const STATUS_LIMIT = 2000;

function hintFor(what: "server" | "session" | "pane", server: TmuxServer): string {
  if (what === "server") return "no tmux server answers at its socket";
  return what === "session"
    ? `\`${tmuxCommand(server)} list-sessions\` lists the sessions`
    : `\`${tmuxCommand(server)} list-panes -a\` lists the panes`;
}

const settings = tmuxSettings.meta({ description: "its tmux session or pane" });

export const tmuxAdapter: SignalAdapter<"tmux", typeof settings> = {
  kind: "tmux",
  settings,
  paths: ["socketPath"],
  open: paneSignal,
};

/** A tmux pane with a reader for its screen; both remember together. */
function paneSignal(where: TmuxSettings, { memory, screens, proc, probe, rules }: SignalDeps): SignalReader {
  const kept = partsOf(memory);
  const screen = screenFacts({ signal: "tmux", screens }, kept.rules === rules ? kept.screen : undefined);
  const pane = tmuxSignal(where, kept.pane, {
    ...{ proc, ...(where.machine !== false && { probe }), isBusy: () => BUSY.includes(screen.reading()) },
    read: (frame, look) => screen.read(frame, look.fresh, look.abort),
    forget: screen.forget,
  });
  let wroteAt: Instant | undefined;
  return {
    ...pane,
    signal: "tmux",
    async look(look) {
      const facts = await pane.look(look);
      wroteAt = facts.findLast(({ kind }) => kind === "activity")?.at ?? wroteAt;
      return facts;
    },
    memory: () => ({ pane: pane.memory?.(), screen: screen.memory(), rules }),
    wroteAt: () => wroteAt,
  };
}
