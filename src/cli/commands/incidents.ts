import { userInfo } from "node:os";
import { Command } from "commander";
import { type IncidentView, incidentOf, incidentsOf, settleIncident } from "../../daemon/records.ts";
import { countOf } from "../count.ts";
import { Failure } from "../failure.ts";
import type { Common } from "../roll.ts";
import { bold, dim, onThisClock, paintState, plain, say, sayJson, table } from "../terminal.ts";

interface ListOptions extends Common {
  readonly all?: true;
  readonly agent?: string;
  readonly limit: number;
  readonly json?: true;
}

export function incidentsCommand(): Command {
  const incidents = new Command("incidents").description("episodes of trouble, and what was done about them");

  incidents
    .command("list")
    .description("the open incidents, newest first")
    .option("--all", "those that are over too")
    .option("--agent <id>", "of one agent only")
    .option("--limit <n>", "how many", countOf, 50)
    .option("--json", "for programs: {incidents}")
    .addHelpText("after", "\nExample:\n  $ rollcall incidents list --all --agent allegro")
    .action(async ({ all, agent, limit, json, ...where }: ListOptions) => {
      const filter = { limit, open: all !== true, ...(agent === undefined ? {} : { about: agent }) };
      const found = await incidentsOf(where, filter);
      if (json === true) return sayJson({ incidents: found });
      if (found.length === 0) return say(all === true ? "No incident is on record." : "No incident is open.");
      say(
        table<IncidentView>(found, [
          { title: "INCIDENT", text: ({ id }) => id, most: 48 },
          { title: "STATE", text: ({ state }) => state, paint: ({ state }, text) => paintState(state, text) },
          { title: "OPENED", text: ({ openedAt }) => openedAt },
          { title: "NOW", text: standing },
          { title: "WHY", text: ({ why }) => onThisClock(why, Date.now()) },
        ]),
      );
    });

  incidents
    .command("show")
    .description("one incident with everything that was found and told")
    .argument("<id>")
    .option("--json", "for programs: {incident, deliveries}")
    .addHelpText("after", "\nExample:\n  $ rollcall incidents show allegro-mm8ws3v4")
    .action(async (id: string, { json, ...where }: Common & { json?: true }) => {
      const found = await incidentOf(where, id);
      if (found === undefined)
        throw new Failure(`there is no incident "${id}"; see: rollcall incidents list --all`);
      if (json === true) return sayJson(found);
      const { incident, deliveries } = found;
      say(`${bold(incident.id)}  ${paintState(incident.state)}  ${standing(incident)}`);
      say(`  ${onThisClock(plain(incident.why), Date.now())}`);
      say(`  opened ${incident.openedAt}, noticed ${incident.noticedAt}, ${incident.severity}`);
      if (incident.acknowledged !== null)
        say(`  acknowledged ${incident.acknowledged.at} by ${plain(incident.acknowledged.by)}`);
      if (incident.resolved !== null)
        say(`  over ${incident.resolved.at}: ${onThisClock(plain(incident.resolved.why), Date.now())}`);
      if (incident.members !== null) say(`  members: ${plain(incident.members.join(", "))}`);
      if (incident.issue !== null) say(`  issue: ${plain(incident.issue.url)}`);
      for (const { to, state, createdAt, problem, message } of deliveries)
        say(
          `  ${createdAt}  ${to}  ${state}${problem === null ? "" : ` (${plain(problem)})`}  ${plain(message.title)}`,
        );
      for (const { title, text } of incident.findings?.items ?? []) {
        say(`\n${dim(plain(title))}`);
        for (const line of text.split("\n")) say(`  ${plain(line)}`);
      }
    });

  for (const [name, wish, done] of [
    ["ack", "acknowledge", "acknowledged"],
    ["resolve", "resolve", "resolved"],
  ] as const) {
    incidents
      .command(name)
      .description(
        wish === "acknowledge" ? "say that somebody is on it: no more reminders" : "end it by hand",
      )
      .argument("<id>")
      .option("--by <name>", "who you are", userName())
      .addHelpText("after", `\nExample:\n  $ rollcall incidents ${name} allegro-mm8ws3v4`)
      .action(async (id: string, { by, ...where }: Common & { by: string }) => {
        await settleIncident(where, wish, id, by);
        say(`${done} ${id}`);
      });
  }
  return incidents;
}

function standing({ open, acknowledged, resolved, flapping, spokenForBy }: IncidentView): string {
  if (!open) return `over (${resolved?.how ?? "resolved"})`;
  const more = [flapping ? "flapping" : "", spokenForBy === null ? "" : `part of ${spokenForBy}`];
  return [acknowledged === null ? "open" : "acknowledged", ...more.filter(Boolean)].join(", ");
}

/** Who gives the command, as the system knows them. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "somebody";
  }
}
