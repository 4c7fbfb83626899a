import { Command } from "commander";
import {
  type BeatView,
  type CycleView,
  type FlipView,
  historyOf,
  type RecoveryView,
} from "../../daemon/history.ts";
import { countOf } from "../count.ts";
import type { Common } from "../roll.ts";
import { paintState, say, sayJson, table } from "../terminal.ts";

interface Options extends Common {
  readonly limit: number;
  readonly json?: true;
}

export function beatsCommand(): Command {
  return new Command("beats")
    .description("the beats of an agent, newest first")
    .argument("<agent>")
    .option("--limit <n>", "how many", countOf, 20)
    .option("--json", "for programs: {beats}")
    .addHelpText("after", "\nExample:\n  $ rollcall beats allegro --limit 5")
    .action(async (agent: string, options: Options) => {
      const beats = await historyOf(options, "beats", agent, options.limit);
      if (options.json === true) return sayJson({ beats });
      if (beats.length === 0) return say(`No beat of ${agent} is recorded.`);
      say(
        table<BeatView>(beats, [
          { title: "RECEIVED", text: ({ receivedAt }) => receivedAt },
          { title: "STATUS", text: ({ status }) => status },
          { title: "CYCLE", text: ({ cycle }) => (cycle === undefined ? "–" : String(cycle)) },
          { title: "HOST", text: ({ host }) => host ?? "–" },
          { title: "ACTION", text: ({ action }) => action ?? "–", most: 40 },
          { title: "MESSAGE", text: ({ message }) => message ?? "" },
        ]),
      );
    });
}

export function flipsCommand(): Command {
  return new Command("flips")
    .description("the changes of state of an agent, newest first, dated when they became true")
    .argument("<agent>")
    .option("--limit <n>", "how many", countOf, 20)
    .option("--json", "for programs: {flips}")
    .addHelpText("after", "\nExample:\n  $ rollcall flips allegro")
    .action(async (agent: string, options: Options) => {
      const flips = await historyOf(options, "flips", agent, options.limit);
      if (options.json === true) return sayJson({ flips });
      if (flips.length === 0) return say(`${agent} has never changed its state.`);
      say(
        table<FlipView>(flips, [
          { title: "AT", text: ({ at }) => at },
          { title: "FROM", text: ({ from }) => from },
          { title: "TO", text: ({ to }) => to, paint: ({ to }, text) => paintState(to, text) },
          { title: "WHY", text: ({ why }) => why },
        ]),
      );
    });
}

export function cyclesCommand(): Command {
  return new Command("cycles")
    .description("the cycles of an agent, newest first, with how they ended")
    .argument("<agent>")
    .option("--limit <n>", "how many", countOf, 20)
    .option("--json", "for programs: {cycles}")
    .addHelpText("after", "\nExample:\n  $ rollcall cycles allegro")
    .action(async (agent: string, options: Options) => {
      const cycles = await historyOf(options, "cycles", agent, options.limit);
      if (options.json === true) return sayJson({ cycles });
      if (cycles.length === 0) return say(`No cycle of ${agent} is recorded.`);
      say(
        table<CycleView>(cycles, [
          { title: "CYCLE", text: ({ number }) => String(number) },
          { title: "BEGAN", text: ({ beganAt }) => beganAt },
          { title: "ENDED", text: ({ endedAt }) => endedAt ?? "–" },
          { title: "OUTCOME", text: ({ outcome }) => outcome ?? "under way" },
          { title: "LAST ACTION", text: ({ lastAction }) => lastAction ?? "–" },
        ]),
      );
    });
}

export function recoveriesCommand(): Command {
  return new Command("recoveries")
    .description("the steps that were taken to bring an agent back, newest first, and why others were not")
    .argument("<agent>")
    .option("--limit <n>", "how many", countOf, 20)
    .option("--json", "for programs: {recoveries}")
    .addHelpText("after", "\nExample:\n  $ rollcall recoveries allegro")
    .action(async (agent: string, options: Options) => {
      const recoveries = await historyOf(options, "recoveries", agent, options.limit);
      if (options.json === true) return sayJson({ recoveries });
      if (recoveries.length === 0) return say(`No step was ever taken on ${agent}.`);
      say(
        table<RecoveryView>(recoveries, [
          { title: "AT", text: ({ endedAt, startedAt, plannedAt }) => endedAt ?? startedAt ?? plannedAt },
          { title: "STEP", text: ({ step }) => step },
          { title: "OUTCOME", text: ({ state }) => state },
          { title: "WHY", text: ({ why }) => why },
        ]),
      );
    });
}
