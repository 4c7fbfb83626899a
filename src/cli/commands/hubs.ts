import { Command } from "commander";
import { SECOND, sayDuration } from "../../core/duration.ts";
import { type HubsView, type HubView, hubsOf } from "../../tools/hubs.ts";
import { examples } from "../input/arguments.ts";
import type { CommonOptions } from "../output/roll.ts";
import { bold, plain, say, sayJson, table } from "../output/terminal.ts";

export function hubsCommand(): Command {
  const hubs = new Command("hubs")
    .description("show the hubs that share one PostgreSQL database")
    .addHelpText("after", examples("hubs list"));

  hubs
    .command("list", { isDefault: true })
    .description(
      "list the hubs: which one is the owner, when each was last seen, and their versions and clocks",
    )
    .option("--json", "print JSON: {lease, inbox, hubs}; times in milliseconds")
    .addHelpText(
      "after",
      "\nThis reads the database, so it works on any hub, even while no hub runs.\n\nExample:\n  $ rollcall hubs list",
    )
    .action(async ({ home, config, json }: CommonOptions) => {
      const found = await hubsOf(home, config);
      if (json === true) return sayJson(found ?? { lease: null, inbox: null, hubs: [] });
      if (found === undefined)
        return say(
          "There are no hubs to list: only hubs on PostgreSQL share their data (docs/high-availability.md).",
        );
      if (found.hubs.length > 0)
        say(
          table(found.hubs, [
            { title: "HUB", text: ({ id }) => id },
            { title: "ROLE", text: ({ role }) => role },
            { title: "ADDRESS", text: ({ url }) => url.replace(/#.*/, "") },
            { title: "SEEN", text: ({ seen }) => `${sayDuration(seen)} ago` },
            { title: "VERSION", text: ({ version }) => version },
            { title: "CLOCK", text: sayClock },
          ]),
        );
      say(sayLease(found));
      if (found.inbox.waiting > 0) say(sayInbox(found));
    });
  return hubs;
}

function sayClock({ clockAhead }: HubView): string {
  if (Math.abs(clockAhead) < 2 * SECOND) return "right";
  return `${sayDuration(Math.abs(clockAhead))} ${clockAhead > 0 ? "fast" : "slow"}`;
}

function sayInbox({ inbox: { waiting, oldest } }: HubsView): string {
  return `The owner has not processed ${waiting} commits of the other hubs yet; the oldest waits for ${sayDuration(oldest)}.`;
}

function sayLease({ lease: { owner, epoch, commit, expiresIn, seen } }: HubsView): string {
  if (owner === "") return "No hub has owned this database yet.";
  const last = `epoch ${epoch}, last commit ${commit}`;
  if (expiresIn <= 0)
    return `Nobody owns the database: ${bold(plain(owner))} was last heard of ${sayDuration(seen)} ago (${last}).`;
  return `${bold(plain(owner))} owns the database: lease renewed ${sayDuration(seen)} ago, ends in ${sayDuration(expiresIn)} (${last}).`;
}
