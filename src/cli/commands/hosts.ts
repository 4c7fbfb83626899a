import { Command, Option } from "commander";
import { MINUTE, SECOND, sayDuration } from "../../core/duration.ts";
import { HOST_KINDS } from "../../core/host-kind.ts";
import { operationsOf } from "../../service/connect.ts";
import type { HostView } from "../../views/host.ts";
import { examples } from "../input/arguments.ts";
import type { CommonOptions } from "../output/roll.ts";
import { bold, paintState, plain, say, sayDone, sayJson, table, timeColumn } from "../output/terminal.ts";

interface Options extends CommonOptions {}

interface InviteOptions extends Options {
  readonly kind?: string;
  readonly ttl?: string;
}

export function hostsCommand(): Command {
  const hosts = new Command("hosts")
    .description("on a hub: list, invite, rename and revoke the hosts that report to it")
    .addHelpText("after", examples("hosts list", "hosts invite web1"));

  hosts
    .command("list", { isDefault: true })
    .description("list the hosts: last contact, version, clock, waiting reports, and agents by state")
    .option("--json", "print JSON: {hosts}")
    .addHelpText("after", "\nExample:\n  $ rollcall hosts list")
    .action(async (options: Options) => {
      const all = await operationsOf(options).hosts();
      if (options.json === true) return sayJson({ hosts: all });
      if (all.length === 0) return say("No host yet. Invite one: rollcall hosts invite web1");
      say(
        table(all, [
          { title: "HOST", text: ({ name }) => name },
          { title: "KIND", text: ({ kind }) => kind },
          { title: "STATE", text: ({ state }) => (state === null ? "not heard yet" : paintState(state)) },
          timeColumn("CONTACT", ({ lastContactAt }) => lastContactAt),
          { title: "VERSION", text: ({ version }) => version },
          { title: "CLOCK", text: sayOffset },
          { title: "BACKLOG", text: ({ backlog }) => String(backlog) },
          { title: "AGENTS", text: sayAgents },
        ]),
      );
    });

  hosts
    .command("invite")
    .description(
      "create an invitation for a host (it works once, within 15 minutes), or a key for many ephemeral hosts",
    )
    .argument(
      "<name>",
      "the name of the host on this hub; with --kind ephemeral, the name of the key that many hosts share, and of the group that their agents join",
    )
    .addOption(
      new Option(
        "--kind <kind>",
        "what the hub does when the host stops reporting: server (sends an alert), laptop (nothing, because it may be asleep), ephemeral (removes the host after --ttl)",
      )
        .choices([...HOST_KINDS])
        .default("server"),
    )
    .option(
      "--ttl <duration>",
      "for ephemeral hosts: how long a host that stopped reporting stays in the list (default: 15m)",
    )
    .option("--json", "print JSON: {url, code, name, kind, expiresAt}")
    .addHelpText(
      "after",
      "\nThis prints the command to run on the host. With --kind ephemeral, the command\n" +
        "contains a key that any number of hosts may use for a year.\n" +
        "`rollcall hosts revoke NAME` ends the key.\n\n" +
        "Examples:\n  $ rollcall hosts invite web1\n  $ rollcall hosts invite ci --kind ephemeral --ttl 10m",
    )
    .action(async (name: string, { kind, ttl, json, ...options }: InviteOptions) => {
      const made = await operationsOf(options).inviteHost({ name, kind, ttl });
      if (json === true) return sayJson(made);
      const { url, code } = made;
      if (new URL(url).protocol === "http:" && isLoopback(url))
        console.error(
          "Only this machine can reach the hub at this address. For other machines, set hub.url in the config to an address\n" +
            "that they can reach, and invite again.",
        );
      console.error(
        kind === "ephemeral"
          ? "Any number of hosts may join with this key, each with --name; `rollcall hosts revoke` ends the key."
          : "Run this on the host, within 15 minutes; it works once:",
      );
      say(`rollcall join ${url} ${code}`);
    });

  hosts
    .command("revoke")
    .description("refuse further reports of a host, and remove its agents from the roll")
    .argument("<name>", "the name of a host, or of a key for ephemeral hosts")
    .option("--json", "print JSON: {host, revoked}")
    .addHelpText("after", "\nExample:\n  $ rollcall hosts revoke web1")
    .action(async (name: string, { json, ...options }: Options) => {
      await operationsOf(options).revokeHost(name);
      sayDone(json, { host: name, revoked: true }, `revoked ${plain(name)}`);
    });

  hosts
    .command("rename")
    .description("rename a host; with its next report, its agents return with the new host name in their ids")
    .argument("<name>", "the present name of the host")
    .argument("<new-name>", "its new name")
    .option("--json", "print JSON: {host, renamed}")
    .addHelpText("after", "\nExample:\n  $ rollcall hosts rename web1 web-eu-1")
    .action(async (name: string, to: string, { json, ...options }: Options) => {
      await operationsOf(options).renameHost(name, to);
      sayDone(json, { host: to, renamed: name }, `${plain(name)} is now ${bold(plain(to))}`);
    });
  return hosts;
}

function isLoopback(url: string): boolean {
  return /^(?:127\.|localhost$|\[::1\]$)/.test(new URL(url).hostname);
}

/** Clocks that differ by less than a minute change nothing. */
function sayOffset({ clockOffset: offset }: HostView): string {
  if (offset === null) return "–";
  if (Math.abs(offset) < 2 * SECOND) return "right";
  const length = sayDuration(Math.abs(offset));
  return `${length} ${offset > 0 ? "slow" : "fast"}${Math.abs(offset) >= MINUTE ? "!" : ""}`;
}

function sayAgents({ agents }: HostView): string {
  const counts = Object.entries(agents).map(([state, count]) => `${count} ${state}`);
  return counts.length === 0 ? "none" : counts.join(", ");
}
