import { setTimeout as sleep } from "node:timers/promises";
import { Command, InvalidArgumentError } from "commander";
import { type Millis, SECOND, sayDuration } from "../../core/duration.ts";
import { STATES } from "../../core/liveness/state.ts";
import type { AgentWithPing } from "../../service/operations.ts";
import { examples, lengthOf } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import { type CommonOptions, mustBeOnRoll } from "../output/roll.ts";
import { paintState, plain, say, sayJson } from "../output/terminal.ts";

interface Options extends CommonOptions {
  readonly for: readonly string[];
  readonly timeout?: Millis;
}

/** `idle` is no state: an agent whose turn is over may rest, or be alive and promise no beats. */
const IDLE = "idle";
const LOOK_EVERY: Millis = SECOND;

export function waitCommand(): Command {
  return new Command("wait")
    .description("wait until an agent is in one of the states named by --for, such as idle or dead")
    .argument("<agent>", "the id of the agent")
    .requiredOption(
      "--for <states>",
      "the states to wait for, separated by commas: idle (the turn is finished), waiting, dead and so on",
      wishes,
    )
    .option("--timeout <duration>", "give up after this time, such as 10m (default: never)", lengthOf)
    .option("--json", "print JSON: the agent as `rollcall check --json` shows it")
    .addHelpText(
      "after",
      `
Exit codes:
  0  the state is reached      1  the time is over      3  no such agent
${examples("wait allegro --for idle,waiting,dead --timeout 30m")}`,
    )
    .action(async (id: string, { json, ...options }: Options) => {
      const began = performance.now();
      for (;;) {
        const agent = await mustBeOnRoll(options, id);
        if (options.for.some((wish) => isAs(agent, wish))) {
          if (json === true) sayJson(agent);
          else say(`${agent.id}: ${paintState(agent.state)}: ${plain(agent.why)}`);
          return;
        }
        const left = (options.timeout ?? Number.POSITIVE_INFINITY) - (performance.now() - began);
        if (left <= 0) {
          const over = `${id} is ${agent.state}, not ${options.for.join(" or ")}`;
          throw new Failure(`${over}, after ${sayDuration(options.timeout ?? 0)}`, 1);
        }
        await sleep(Math.min(LOOK_EVERY, left));
      }
    });
}

function isAs({ state, reason }: AgentWithPing, wish: string): boolean {
  if (wish !== IDLE) return state === wish;
  return state === "resting" || reason === "idle" || reason === "idle-with-work";
}

function wishes(text: string): readonly string[] {
  const known = [IDLE, ...Object.keys(STATES)];
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !known.includes(name));
  if (wrong === undefined) return names;
  throw new InvalidArgumentError(`expected ${known.join(", ")}, not "${wrong}".`);
}
