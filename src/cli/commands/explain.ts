import { Command } from "commander";
import { listWork, type Work } from "../../agent/work.ts";
import { sayDuration } from "../../core/duration.ts";
import { hostAgent } from "../../core/host-names.ts";
import { muteOf } from "../../core/incident/mute.ts";
import { REASONS, type Reason, STATES } from "../../core/liveness/state.ts";
import { dollars, sayTokens } from "../../core/usage/budget.ts";
import { homeAt } from "../../home/home.ts";
import { operationsOf } from "../../service/connect.ts";
import type { AgentWithPing, Operations } from "../../service/operations.ts";
import type { IncidentView, NextStepView, RecoveryView } from "../../views/show.ts";
import type { UsageView } from "../../views/usage.ts";
import { examples } from "../input/arguments.ts";
import { NoSuchAgentError } from "../output/failure.ts";
import { type CommonOptions, callTheRoll, tellTroubles } from "../output/roll.ts";
import {
  bold,
  clock,
  dim,
  onThisClock,
  paintState,
  plain,
  say,
  sayJson,
  table,
  when,
  wrap,
} from "../output/terminal.ts";
import { sayTold } from "../output/told.ts";
import { whileWaiting } from "../output/waiting.ts";
import { questionLines } from "./answer.ts";
import { sayLimits } from "./usage.ts";

/** How many of the last steps are shown. */
const STEPS = 3;

export function explainCommand(): Command {
  return new Command("explain")
    .description("show the evidence for an agent's state, the reason, and what comes next")
    .argument("<agent>", "the id of the agent")
    .option("--json", "print JSON")
    .addHelpText("after", examples("explain allegro"))
    .action(async (id: string, options: CommonOptions) => {
      const roll = await callTheRoll(options, id);
      const [agent] = roll.agents;
      tellTroubles(roll);
      if (agent === undefined) throw new NoSuchAgentError(id);
      const whole = await withEvidence(options, agent);
      if (options.json === true) return sayJson(whole.agent);
      for (const line of explain(whole.agent, Date.now())) say(line);
      for (const line of [...whole.problem, ...(await afterwards(options, agent))]) say(wrap(line));
    });
}

/** All of it as lines. */
export async function explanation(options: CommonOptions, id: string): Promise<readonly string[]> {
  const [found] = (await callTheRoll(options, id)).agents;
  if (found === undefined) throw new NoSuchAgentError(id);
  const { agent, problem } = await withEvidence(options, found);
  const after = [...problem, ...(await afterwards(options, found))].map((line) => wrap(line));
  return [...explain(agent, Date.now()), ...after].join("\n").split("\n");
}

/** The evidence for an agent of another host is there: that host is asked. */
async function withEvidence(
  options: CommonOptions,
  agent: AgentWithPing,
): Promise<{ readonly agent: AgentWithPing; readonly problem: readonly string[] }> {
  const { id, host, origin } = agent;
  if (origin !== "host" || host === null || id === hostAgent(host)) return { agent, problem: [] };
  const asked = operationsOf(options).observations(id);
  return whileWaiting(`asking host ${plain(host)}`, asked).then(
    (evidence) => ({ agent: { ...agent, evidence }, problem: [] }),
    (error: unknown) => ({
      agent,
      problem: [
        "",
        plain(`More evidence is on host ${host}, which was not reached: ${String((error as Error).message)}`),
      ],
    }),
  );
}

/** What comes next, and what was done. Where there is no store or no answer, there is nothing to add to the verdict. */
async function afterwards(options: CommonOptions, agent: AgentWithPing): Promise<readonly string[]> {
  const operations = operationsOf(options);
  const { id } = agent;
  const next = await operations.nextStep(id).catch(() => null);
  const [usage] = await operations.usage(id).catch(() => []);
  const taken = await operations.history("recoveries", id, { limit: STEPS }).catch(() => undefined);
  const question =
    agent.state === "waiting" ? await operations.question(id).catch(() => undefined) : undefined;
  return [
    ...(question === undefined ? [] : ["", "It asks:", "", ...questionLines(question), "", answerLine(id)]),
    ...workLines(listWork(homeAt(options.home).path, id), agent),
    ...(usage === undefined ? [] : usageLines(usage)),
    ...(next === null ? [] : ["", sayNext(next, Date.now())]),
    ...steps(taken?.items ?? []),
    ...(await incidentLines(operations, id).catch(() => [])),
    ...(await muteLines(operations, agent).catch(() => [])),
  ];
}

/** The work that is recorded as under way, and the way out if that is the trouble. */
function workLines(list: readonly Work[], { reason }: AgentWithPing): readonly string[] {
  if (list.length === 0) return [];
  const works = list.map(({ id, what, startedAt }) => `  ${id}  ${plain(what)}, started ${when(startedAt)}`);
  const isTrouble = reason === "orphan" || reason === "idle-with-work";
  const [first] = list;
  const out = `If it is finished, run \`rollcall work done ${first?.id}\`; if it was given up, \`rollcall work drop ${first?.id}\`.`;
  return ["", "Work that is recorded as in progress:", ...works, ...(isTrouble ? [out] : [])];
}

function answerLine(id: string): string {
  return `Answer it with \`rollcall answer ${id}\`, or at its pane: \`rollcall attach ${id}\`.`;
}

/** Why no message about it is sent although it may be in trouble. */
async function muteLines(operations: Operations, agent: AgentWithPing): Promise<readonly string[]> {
  const mute = muteOf(await operations.silences(), agent, Date.now());
  if (mute === undefined) return [];
  const why = mute.why === "" ? "" : `: ${plain(mute.why)}`;
  return [
    "",
    `Alerts about it are muted until ${clock(mute.until)}, by ${plain(mute.by)}${why} (${mute.id}).`,
  ];
}

/** Its session, and what it used today. */
function usageLines(usage: UsageView): readonly string[] {
  const { session, context, days, at } = usage;
  const lines = session === null ? [] : [`Session ${plain(session.id)} of ${session.client}.`];
  const [day] = days;
  if (day !== undefined)
    lines.push(`Used ${sayTokens(day.tokens)} tokens, ${dollars(day.cost)}, on ${day.day}.`);
  if (context !== null) lines.push(`Its context is ${Math.round(context * 100)} % full.`);
  if (at !== null) lines.push(...sayLimits(usage, Date.now()));
  return lines.length === 0 ? [] : ["", ...lines];
}

/** `Next: restart in 1 min: …`, or `No recovery step will be taken: …`. */
function sayNext({ step, why, at }: NextStepView, now: number): string {
  const when = at === null ? "" : ` in ${sayDuration(Math.max(0, Date.parse(at) - now))}`;
  if (step === null) return `No recovery step will be taken: ${why}.`;
  return at === null ? `Next step: ${step}, ${why}.` : `Next step: ${step}${when} at the earliest: ${why}.`;
}

/** The open incident of an agent, and who was told of it. */
async function incidentLines(operations: Operations, agent: string): Promise<readonly string[]> {
  const filter = { about: agent, which: "open", kind: "agent" } as const;
  const [open] = (await operations.incidents(filter, { limit: 1 })).items;
  if (open === undefined) return [];
  if (open.spokenForBy !== null) {
    const taken = sayAcknowledged(open);
    return [
      "",
      `Incident ${open.id} is open${taken}. It is part of the incident ${open.spokenForBy} of its group.`,
    ];
  }
  const { told } = await operations.incident(open.id);
  const now = Date.now();
  return [
    "",
    `Incident ${open.id} is open${sayAcknowledged(open)}:`,
    ...(told.length === 0 ? ["  no message was sent yet"] : []),
    ...told.map((place) => `  ${sayTold(place, now)}`),
  ];
}

function sayAcknowledged({ acknowledged }: IncidentView): string {
  return acknowledged === null ? "" : `, acknowledged by ${plain(acknowledged.by)} ${when(acknowledged.at)}`;
}

function steps(taken: readonly RecoveryView[]): readonly string[] {
  if (taken.length === 0) return [];
  const said = taken.map(({ endedAt, plannedAt, step, state, why }) => {
    return `  ${when(endedAt ?? plannedAt)}  ${step} ${state}: ${plain(why)}`;
  });
  return ["", "Recovery steps, newest first:", ...said];
}

/** Where an agent of another host runs: what is known of it here, that host told. */
function hostLines({ id, host, origin }: AgentWithPing): readonly string[] {
  if (origin !== "host" || host === null) return [];
  if (id === hostAgent(host))
    return [`This agent stands for host ${host}: its beats are the host's reports.`];
  return [`It runs on host ${host}, which judges it.`];
}

function explain(agent: AgentWithPing, now: number): readonly string[] {
  const { id, state, reason, why, since, evidence = [], outlook = [] } = agent;
  const first = [
    `${bold(id)} has been ${paintState(state)} for ${sayDuration(now - Date.parse(since))}: ${onThisClock(plain(why), now)}`,
    ...hostLines(agent),
    dim(`${state}: ${STATES[state]}`),
    dim(`reason ${reason}: ${REASONS[reason as Reason]}`),
  ];
  const lines = [
    ...first.map((line) => wrap(line)),
    "",
    evidence.length === 0
      ? "Nothing is known about it yet."
      : table(evidence, [
          { title: "SIGNAL", text: ({ signal }) => signal },
          { title: "LAST NEWS", text: ({ at }) => when(at) },
          { title: "SAYS", text: ({ says }) => onThisClock(says, now), wraps: true },
        ]),
    "",
  ];
  if (outlook.length === 0)
    lines.push(
      state === "paused"
        ? `It stays paused until \`rollcall agents resume ${id}\`.`
        : "This state holds until there is new activity.",
    );
  for (const next of outlook) {
    const wait = sayDuration(Date.parse(next.at) - now);
    lines.push(
      wrap(
        `Without new activity it will be ${paintState(next.state)} in ${wait} (${clock(next.at)}, ${next.reason}).`,
      ),
    );
  }
  return lines;
}
