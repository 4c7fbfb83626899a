import { Command } from "commander";
import { type Millis, sayAgo } from "../../core/duration.ts";
import { operationsOf } from "../../service/connect.ts";
import type { IncidentCounts, IncidentFilter, Operations } from "../../service/operations.ts";
import { firstOf } from "../../service/page.ts";
import type { IncidentView } from "../../views/show.ts";
import { countOf, examples, lengthOf, userName } from "../input/arguments.ts";
import { type CommonOptions, mustBeHost, mustBeOnRoll } from "../output/roll.ts";
import {
  bold,
  dim,
  onThisClock,
  paintState,
  plain,
  say,
  sayDone,
  sayJson,
  sayList,
  timeColumn,
  when,
  wrap,
} from "../output/terminal.ts";
import { sayState, sayTold } from "../output/told.ts";

interface ListOptions extends CommonOptions {
  readonly all?: true;
  readonly agent?: string;
  readonly host?: string;
  readonly limit: number;
  readonly since?: Millis;
}

export function incidentsCommand(): Command {
  const incidents = new Command("incidents")
    .description("list, show, acknowledge and end incidents (periods of trouble)")
    .addHelpText("after", examples("incidents list", "incidents ack allegro-mm8ws3v4"));

  incidents
    .command("list")
    .description("list the open incidents, newest first; incidents of groups come before all others")
    .option(
      "--all",
      "also list ended incidents, and incidents that are part of a group's incident; newest first",
    )
    .option("--agent <id>", "list only the incidents of this agent")
    .option("--host <name>", "list only the incidents of this host and its agents")
    .option(
      "--since <duration>",
      "list the incidents that were open within this time, such as 12h, also those that have ended",
      lengthOf,
    )
    .option("--limit <n>", "how many to list", countOf, 50)
    .option("--json", "print JSON: {incidents, counts}, newest first")
    .addHelpText("after", examples("incidents list --all --agent allegro", "incidents list --since 12h"))
    .action(async ({ all: every, agent, host, limit, json, since, ...where }: ListOptions) => {
      const all = since === undefined ? every : true;
      const operations = operationsOf(where);
      const openSince = since === undefined ? undefined : Date.now() - since;
      const filter = { about: agent, host, openSince, which: all === true ? undefined : ("open" as const) };
      // Programs get one list, newest first; a person who asks for an agent or a host wants its incidents, group or not.
      const one = json === true || all === true || agent !== undefined || host !== undefined;
      const found = one ? await listOf(operations, filter, limit) : await groupsFirst(operations, limit);
      const counts = await operations.incidentCounts();
      if (agent !== undefined && found.length === 0) await mustBeOnRoll(where, agent);
      if (host !== undefined && found.length === 0) await mustBeHost(where, host);
      const of = host === undefined ? "" : ` of host ${plain(host)}`;
      const none = all === true ? `No incident${of} is on record.` : `No incident${of} is open.`;
      sayList(json, { incidents: found, counts }, found, none, [
        { title: "INCIDENT", text: ({ id }) => id, most: 48, least: 20, cut: "middle" },
        { title: "STATE", text: ({ state }) => state, paint: ({ state }, text) => paintState(state, text) },
        timeColumn("OPENED", ({ openedAt }) => openedAt),
        { title: "NOW", text: (incident) => standing(incident) + sayReopened(incident) },
        { title: "WHY", text: ({ why }) => onThisClock(why, Date.now()) },
      ]);
      if (!one && found.length > 0 && found.length < counts.open) say(`\n${sayRest(found.length, counts)}`);
    });

  incidents
    .command("show")
    .description("show one incident with its evidence and messages")
    .argument("<id>", "the id of the incident, or of its agent if the incident is open")
    .option("--json", "print JSON: {incident, told, deliveries}")
    .addHelpText("after", examples("incidents show allegro-mm8ws3v4"))
    .action(async (id: string, { json, ...where }: CommonOptions) => {
      const operations = operationsOf(where);
      const found = await operations.incident(await incidentOf(operations, id));
      if (json === true) return sayJson(found);
      const { incident, told, deliveries } = found;
      const tell = (line: string) => say(wrap(line));
      tell(`${bold(incident.id)}  ${paintState(incident.state)}  ${standing(incident)}`);
      tell(`  ${onThisClock(plain(incident.why), Date.now())}`);
      if (incident.host !== null) tell(`  host: ${plain(incident.host)}`);
      const { openedAt, reopenedAt, since, noticedAt } = incident;
      // A watcher of an older version does not say whether it was reopened.
      const again = reopenedAt ? `, reopened ${when(reopenedAt)}` : "";
      const isFirst = since === openedAt || since === reopenedAt;
      const present = isFirst ? "" : `, ${incident.state} since ${when(since)}`;
      tell(`  opened ${when(openedAt)}${again}${present}, noticed ${when(noticedAt)}, ${incident.severity}`);
      if (incident.acknowledged !== null)
        tell(`  acknowledged ${when(incident.acknowledged.at)} by ${plain(incident.acknowledged.by)}`);
      if (incident.resolved !== null)
        tell(
          `  over ${when(incident.resolved.at)}: ${onThisClock(plain(incident.resolved.why), Date.now())}`,
        );
      if (incident.members !== null) tell(`  members: ${plain(incident.members.join(", "))}`);
      if (incident.issue !== null) tell(`  issue: ${plain(incident.issue.url)}`);
      for (const place of told) tell(`  ${sayTold(place, Date.now())}`);
      for (const delivery of deliveries) {
        const { to, createdAt, attempts, problem, message } = delivery;
        const failed = problem === null ? "" : ` (${attempts}×: ${plain(problem)})`;
        tell(
          `  ${when(createdAt)}  ${to}  ${sayState(delivery, Date.now())}${failed}  ${plain(message.title)}`,
        );
      }
      for (const { title, text } of incident.findings?.items ?? []) {
        tell(`\n${dim(plain(title))}`);
        for (const line of text.split("\n")) tell(`  ${onThisClock(plain(line), Date.now())}`);
      }
    });

  for (const [name, wish, done] of [
    ["ack", "acknowledge", "acknowledged"],
    ["resolve", "resolve", "resolved"],
  ] as const) {
    incidents
      .command(name)
      .description(
        wish === "acknowledge"
          ? "acknowledge an incident; this stops its reminders"
          : "end an incident by hand",
      )
      .argument("<id>", "the id of the incident, or of its agent if the incident is open")
      .option("--by <name>", "who you are", userName())
      .option("--json", `print JSON: {incident, ${done}}`)
      .addHelpText("after", examples(`incidents ${name} allegro-mm8ws3v4`))
      .action(async (named: string, { by, json, ...where }: CommonOptions & { by: string; json?: true }) => {
        const operations = operationsOf(where);
        const id = await incidentOf(operations, named);
        const { open } = (await operations.incident(id)).incident;
        if (open) await operations[wish](id, by);
        sayDone(json, { incident: id, [done]: open }, open ? `${done} ${id}` : `${id} was already over`);
      });
  }
  return incidents;
}

/** An agent has one open incident at most, and a person knows the agent's id. */
async function incidentOf(operations: Operations, id: string): Promise<string> {
  const [open] = (await operations.incidents({ about: id, which: "open", kind: "agent" }, { limit: 1 }))
    .items;
  return open?.subject === id ? open.id : id;
}

/** The incidents of groups first: each speaks for many. */
async function groupsFirst(operations: Operations, limit: number): Promise<readonly IncidentView[]> {
  const groups = await listOf(operations, { which: "open", kind: "group" }, limit);
  const others = await listOf(operations, { which: "open", kind: "agent", grouped: true }, limit);
  return [...groups, ...others].slice(0, limit);
}

function listOf(operations: Operations, filter: IncidentFilter, limit: number) {
  return firstOf(limit, (wanted) => operations.incidents(filter, wanted));
}

function sayRest(shown: number, { open, spokenFor }: IncidentCounts): string {
  const more = open - spokenFor - shown;
  return [
    `${open} incidents are open.`,
    ...(spokenFor === 0 ? [] : [`${spokenFor} of them are part of a group's incident; --all lists them.`]),
    ...(more <= 0 ? [] : [`${more} more: raise --limit.`]),
  ].join(" ");
}

/** The reason is of the last opening, not of the first. */
function sayReopened({ open, reopenedAt }: IncidentView): string {
  return open && reopenedAt ? `, reopened ${sayAgo(Date.now() - Date.parse(reopenedAt))}` : "";
}

function standing({ open, acknowledged, resolved, flapping, spokenForBy }: IncidentView): string {
  const how = resolved?.how ?? "resolved";
  if (!open) return how === "over" ? how : `over (${how})`;
  const more = [flapping ? "flapping" : "", spokenForBy === null ? "" : `part of ${spokenForBy}`];
  return [acknowledged === null ? "open" : "acknowledged", ...more.filter(Boolean)].join(", ");
}
