import { Command } from "commander";
import { sayDuration } from "../../core/duration.ts";
import { REASONS, type Reason, STATES } from "../../core/liveness/state.ts";
import { operationsOf } from "../../service/connect.ts";
import type { AgentWithPing, Operations } from "../../service/operations.ts";
import type { NextStepView, RecoveryView } from "../../views/show.ts";
import { NoSuchAgentError } from "../output/failure.ts";
import { type Common, callTheRoll, tellConfigError } from "../output/roll.ts";
import { bold, clock, dim, paintState, plain, say, sayJson, table, when } from "../output/terminal.ts";
import { sayTold } from "../output/told.ts";

/** How many of the last steps are shown. */
const STEPS = 3;

export function explainCommand(): Command {
  return new Command("explain")
    .description(
      "why an agent is in its state: every fact, the row of the table that decided, and what comes next",
    )
    .argument("<agent>")
    .option("--json", "for programs")
    .addHelpText("after", "\nExample:\n  $ rollcall explain allegro")
    .action(async (id: string, options: Common & { json?: true }) => {
      const roll = await callTheRoll(options, id);
      const [agent] = roll.agents;
      tellConfigError(roll);
      if (agent === undefined) throw new NoSuchAgentError(id);
      if (options.json === true) return sayJson(agent);
      say(explain(agent, Date.now()));
      // The verdict has been told; where there is no store or no answer, there is nothing to add to it.
      const operations = operationsOf(options);
      const next = await operations.nextStep(id).catch(() => null);
      if (next !== null) say(`\n${sayNext(next, Date.now())}`);
      const taken = await operations.history("recoveries", id, { limit: STEPS }).catch(() => undefined);
      for (const line of steps(taken?.items ?? [])) say(line);
      for (const line of await incidentLines(operations, id).catch(() => [])) say(line);
    });
}

/** `Next: restart in 1 min: …`, or `No step is taken: …`. */
function sayNext({ step, why, at }: NextStepView, now: number): string {
  const when = at === null ? "" : ` in ${sayDuration(Math.max(0, Date.parse(at) - now))}`;
  if (step === null) return `No step is taken: ${why}.`;
  return at === null ? `Next step: ${step}, ${why}.` : `Next step: ${step}${when} at the earliest: ${why}.`;
}

/** The open incident of an agent, and who was told of it. */
async function incidentLines(operations: Operations, agent: string): Promise<readonly string[]> {
  const filter = { about: agent, which: "open", kind: "agent" } as const;
  const [open] = (await operations.incidents(filter, { limit: 1 })).items;
  if (open === undefined) return [];
  if (open.spokenForBy !== null) {
    return ["", `Incident ${open.id} is open. The incident ${open.spokenForBy} of its group speaks for it.`];
  }
  const { told } = await operations.incident(open.id);
  const now = Date.now();
  return [
    "",
    `Incident ${open.id} is open:`,
    ...(told.length === 0 ? ["  no message was sent or waits yet"] : []),
    ...told.map((place) => `  ${sayTold(place, now)}`),
  ];
}

function steps(taken: readonly RecoveryView[]): readonly string[] {
  if (taken.length === 0) return [];
  const said = taken.map(({ endedAt, plannedAt, step, state, why }) => {
    return `  ${when(endedAt ?? plannedAt)}  ${step} ${state}: ${plain(why)}`;
  });
  return ["", "What was done about it, newest first:", ...said];
}

function explain(agent: AgentWithPing, now: number): string {
  const { id, state, reason, why, since, row, evidence = [], outlook = [] } = agent;
  const lines = [
    `${bold(id)} is ${paintState(state)} for ${sayDuration(now - Date.parse(since))}: ${plain(why)}`,
    dim(`${state}: ${STATES[state]}`),
    dim(`decided by row ${row}, reason ${reason}: ${REASONS[reason as Reason]}`),
    "",
    evidence.length === 0
      ? "Nothing is known of it yet."
      : table(evidence, [
          { title: "SIGNAL", text: ({ signal }) => signal },
          { title: "AT", text: ({ at }) => when(at) },
          { title: "SAYS", text: ({ says }) => says },
        ]),
    "",
  ];
  if (outlook.length === 0) lines.push("Time alone changes nothing: only something new does.");
  for (const next of outlook) {
    const wait = sayDuration(Date.parse(next.at) - now);
    lines.push(
      `If nothing new comes, it is ${paintState(next.state)} in ${wait} (${clock(next.at)}, ${next.reason}).`,
    );
  }
  return lines.join("\n");
}
