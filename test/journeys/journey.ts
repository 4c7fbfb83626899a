import { Chance } from "../../sim/chance.ts";
import { before, Checker } from "./check.ts";
import { type Config, LONG, Model, SHORT } from "./model.ts";
import type { Operation, Plan } from "./operation.ts";
import { beatOperations } from "./operations/beats.ts";
import { configOperations, writeConfig } from "./operations/config.ts";
import { daemonOperations } from "./operations/daemon.ts";
import { fleetOperations } from "./operations/fleet.ts";
import { newPane, openPane, paneOperations } from "./operations/panes.ts";
import { workerOperations } from "./operations/workers.ts";
import { CLEAN_UP, World } from "./world.ts";

export const OPERATIONS: readonly Operation[] = [
  ...configOperations,
  ...daemonOperations,
  ...fleetOperations,
  ...beatOperations,
  ...paneOperations,
  ...workerOperations,
];

/** How many operations a journey has. */
const LENGTH = 26;

export interface Step extends Plan {
  readonly name: string;
}

/** The steps of a seed, one after the other, as the model moves on. They depend on nothing but the seed. */
class Journey {
  readonly model: Model;
  readonly #chance: Chance;

  constructor(seed: number) {
    this.#chance = new Chance(seed);
    this.model = new Model(this.#firstConfig());
  }

  #firstConfig(): Config {
    const chance = this.#chance;
    const process = { id: "q1", process: true } as const;
    return {
      agents: [
        { id: "b1", ...chance.one([{}, { rule: SHORT }, { rule: LONG }]) },
        { id: "p1", pane: true },
        ...(chance.hit(0.7) ? [{ ...process, ...(chance.hit(0.3) ? { recover: true as const } : {}) }] : []),
        ...(chance.hit(0.6) ? [{ id: "r1", run: true } as const] : []),
      ],
      defaults: chance.hit(0.3) ? SHORT : LONG,
      second: false,
    };
  }

  /** A fleet that is watched: what every journey begins with. */
  begin(): Step {
    const { model } = this;
    const shell = this.#chance.one(["bash", undefined] as const);
    return {
      name: "begin",
      lines: [
        writeConfig(model.file),
        ...openPane({ session: "p1", shell }),
        "rollcall daemon start",
        "rollcall beat b1",
      ],
      through: { b1: ["alive", "late", "dead"] },
      apply: () => {
        model.panes.set("p1", newPane("p1", shell));
        for (const { id, process, run } of model.file.agents)
          if (process ?? run) model.workers.set(id, { runs: false, seen: false, ended: undefined });
        model.up = true;
        model.readConfig();
        model.hear("b1", "ok");
      },
    };
  }

  next(): Step {
    for (;;) {
      const { name, plan } = this.#pick();
      const planned = plan(this.model, this.#chance);
      if (planned !== undefined) return { name, ...planned };
    }
  }

  #pick(): Operation {
    const total = OPERATIONS.reduce((sum, { weight }) => sum + weight, 0);
    let left = this.#chance.next() * total;
    for (const operation of OPERATIONS) {
      left -= operation.weight;
      if (left < 0) return operation;
    }
    return OPERATIONS[0] as Operation;
  }
}

export interface Outcome {
  readonly seed: number;
  readonly operations: ReadonlyMap<string, number>;
  /** What was not true, after the last step that was taken. */
  readonly violations: readonly string[];
  /** The journey as a person can replay it. */
  readonly script: string;
}

/** What a seed would do, without doing it. */
export function imagine(seed: number): ReadonlyMap<string, number> {
  const journey = new Journey(seed);
  const count = new Map<string, number>();
  journey.begin().apply();
  for (let done = 0; done < LENGTH; done++) {
    const step = journey.next();
    tally(count, step);
    step.apply();
    if (journey.model.up) journey.model.looked();
  }
  return count;
}

function tally(count: Map<string, number>, { name, also }: Step): void {
  for (const each of also === undefined ? [name] : [name, also]) count.set(each, (count.get(each) ?? 0) + 1);
}

/** Where the product is, and where the files of journeys are. */
export interface Places {
  readonly product: string;
  readonly journeys: string;
}

export async function travel(seed: number, { product, journeys }: Places): Promise<Outcome> {
  const journey = new Journey(seed);
  const world = await World.open(product, journeys);
  const checker = new Checker(world, journey.model);
  const operations = new Map<string, number>();
  const script = [
    `# Journey ${seed}. Webhooks go to $SINK: let something listen there, or take the channels out of the config.`,
    `PRODUCT=${product} JOURNEYS=${journeys} W=$(mktemp -d) SINK=http://127.0.0.1:9999`,
    ". $JOURNEYS/prelude.sh; prepare",
  ];
  const take = async (step: Step): Promise<readonly string[]> => {
    script.push("", `# ${step.name}`, ...step.lines);
    const known = before(journey.model);
    journey.model.stepBegan = Date.now();
    const ran = await world.run(step.lines, { careful: step.refused !== true });
    const problem = problemOf(step, ran);
    if (problem !== undefined) return [problem];
    step.apply();
    const wrong = await checker.after(known, step.through);
    if (journey.model.up) script.push(...expectations(journey.model));
    return wrong;
  };
  try {
    let violations = await take(journey.begin());
    for (let done = 0; done < LENGTH && violations.length === 0; done++) {
      const step = journey.next();
      tally(operations, step);
      violations = await take(step);
    }
    const found = violations.length === 0 ? "" : await world.diagnosis();
    script.push(...found.split("\n").map((line) => `# | ${line}`));
    script.push("", "# The end: take everything away.", CLEAN_UP);
    return { seed, operations, violations, script: script.join("\n") };
  } finally {
    await world.close();
  }
}

function problemOf(
  step: Step,
  { status, output }: { status: number | null; output: string },
): string | undefined {
  const said = `it ended with ${status} and said: ${output.trim()}`;
  if (step.refused === true && status === 0) return `"${step.name}" must be refused, but ${said}`;
  if (step.refused !== true && status !== 0) return `"${step.name}" failed: ${said}`;
  if (step.says !== undefined && !output.includes(step.says))
    return `"${step.name}" must say "${step.says}", but ${said}`;
  if (/^\s+at .*:\d+:\d+\)?$/m.test(output)) return `"${step.name}" printed a stack trace: ${output.trim()}`;
  return undefined;
}

function expectations(model: Model): readonly string[] {
  const all = [...model.agents.values()].map((agent) => `${agent.id} ${model.expected(agent).join("|")}`);
  return [`# now: ${all.join(", ")}`];
}
