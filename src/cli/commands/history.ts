import { Command } from "commander";
import { operationsOf } from "../../service/connect.ts";
import type { AgentWithPing, Histories } from "../../service/operations.ts";
import { firstOf } from "../../service/page.ts";
import { countOf, examples } from "../input/arguments.ts";
import { type CommonOptions, mustBeOnRoll, sayThere } from "../output/roll.ts";
import { type Column, onThisClock, paintState, sayList, timeColumn } from "../output/terminal.ts";

interface Options extends CommonOptions {
  readonly limit: number;
}

interface Shown<Row> {
  readonly description: string;
  /** What is said of an agent that has none. */
  readonly none: (agent: string) => string;
  readonly columns: readonly Column<Row>[];
}

/** A command that lists one kind of what is recorded of an agent. */
function historyCommand<K extends keyof Histories>(
  kind: K,
  { description, none, columns }: Shown<Histories[K]>,
): Command {
  return new Command(kind)
    .description(description)
    .argument("<agent>", "the id of the agent")
    .option("--limit <n>", "how many to list", countOf, 20)
    .option("--json", `print JSON: {${kind}}`)
    .addHelpText("after", examples(`${kind} allegro --limit 5`))
    .action(async (agent: string, options: Options) => {
      const operations = operationsOf(options);
      const rows = await firstOf(options.limit, (wanted) => operations.history(kind, agent, wanted));
      const far = rows.length === 0 ? onItsHost(kind, await mustBeOnRoll(options, agent)) : undefined;
      sayList(options.json, { [kind]: rows }, rows, far ?? none(agent), columns);
    });
}

/** Hosts tell their hub of neither beats nor cycles that ended well. */
function onItsHost(kind: keyof Histories, agent: AgentWithPing): string | undefined {
  if (kind !== "beats" && kind !== "cycles") return undefined;
  const none =
    kind === "beats" ? "Beats stay on the host." : "Only crashed cycles reach the hub, and there is none.";
  const there = sayThere(kind, agent);
  return there && `${none} ${there}`;
}

export const beatsCommand = () =>
  historyCommand("beats", {
    description: "list the beats of an agent, newest first",
    none: (agent) => `No beat of ${agent} is recorded.`,
    columns: [
      timeColumn("RECEIVED", ({ receivedAt }) => receivedAt),
      {
        title: "STATUS",
        text: ({ status, unproven }) => (unproven === true ? `${status} (unproven)` : status),
      },
      { title: "CYCLE", text: ({ cycle }) => (cycle === undefined ? "–" : String(cycle)) },
      { title: "HOST", text: ({ host }) => host ?? "–" },
      { title: "ACTION", text: ({ action }) => action ?? "–", most: 40 },
      { title: "MESSAGE", text: ({ message }) => message ?? "" },
    ],
  });

export const flipsCommand = () =>
  historyCommand("flips", {
    description: "list the state changes of an agent, newest first",
    none: (agent) => `${agent} has never changed its state.`,
    columns: [
      timeColumn("AT", ({ at }) => at),
      { title: "FROM", text: ({ from }) => from },
      { title: "TO", text: ({ to }) => to, paint: ({ to }, text) => paintState(to, text) },
      { title: "WHY", text: ({ why }) => onThisClock(why, Date.now()) },
    ],
  });

export const cyclesCommand = () =>
  historyCommand("cycles", {
    description: "list the cycles of an agent, newest first, and how they ended",
    none: (agent) => `No cycle of ${agent} is recorded.`,
    columns: [
      { title: "CYCLE", text: ({ number }) => String(number) },
      timeColumn("BEGAN", ({ beganAt }) => beganAt),
      timeColumn("ENDED", ({ endedAt }) => endedAt),
      { title: "OUTCOME", text: ({ outcome }) => outcome ?? "under way" },
      { title: "LAST ACTION", text: ({ lastAction }) => lastAction ?? "–" },
    ],
  });

export const recoveriesCommand = () =>
  historyCommand("recoveries", {
    description: "list the recovery steps of an agent, newest first, with the reasons for skipped steps",
    none: (agent) => `No recovery step was ever taken for ${agent}.`,
    columns: [
      timeColumn("AT", ({ endedAt, startedAt, plannedAt }) => endedAt ?? startedAt ?? plannedAt),
      { title: "STEP", text: ({ step }) => step },
      { title: "OUTCOME", text: ({ state }) => state },
      { title: "WHY", text: ({ why }) => why },
    ],
  });
