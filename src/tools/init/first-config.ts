import { stringify } from "yaml";
import { given } from "../../core/given.ts";
import type { Discovered } from "../discover/discover.ts";
import { Names } from "../import/imported.ts";
import type { FoundUnit } from "./units.ts";

/** An item of `agents` in the config. */
export interface FirstAgent {
  readonly id: string;
}

/** What a first config is made of. */
export interface FirstConfig {
  readonly agents: readonly Discovered[];
  readonly units: readonly FoundUnit[];
  /** Jobs of the crontab that Rollcall will run, as the config has their agents. */
  readonly jobs: readonly FirstAgent[];
  readonly channel?: { readonly name: string; readonly settings: object } | undefined;
  /** Where the watcher listens, if that was said. */
  readonly listen?: string | undefined;
}

/** The agents as the config has them. Units get ids that nothing else has. */
function declared({ agents, units, jobs }: FirstConfig): readonly FirstAgent[] {
  const named = [...agents.map(({ id, signals }) => ({ id, ...signals })), ...jobs];
  const names = new Names();
  for (const { id } of named) names.idFor(id);
  return [
    ...named,
    ...units.map(({ unit, user }) => ({
      id: names.idFor(unit.replace(/\.service$/, "")),
      systemd: given({ unit, user: user ? true : undefined }),
    })),
  ];
}

/** The text of the config: an agent a line, and what a person may want to change next as comments. */
export function firstConfigText(found: FirstConfig): string {
  const all = declared(found);
  const agents =
    all.length === 0
      ? "# agents:\n#   - { id: allegro, every: 15m }\n"
      : `agents:\n${all.map((agent) => `  - ${inOneLine(agent)}\n`).join("")}`;
  const { channel, listen } = found;
  const channels =
    channel === undefined
      ? "# channels:\n#   phone: { kind: ntfy, topic: choose-one-that-cannot-be-guessed }\n"
      : `channels:\n  ${channel.name}: ${inOneLine(channel.settings)}\n`;
  return `# Written by \`rollcall init\`. Every key: docs/config.md, or \`rollcall config schema\`.
# After a change: \`rollcall config check\`, then \`rollcall daemon reload\`.
${listen === undefined ? "" : `listen: ${inOneLine(listen)}\n`}${agents}
# Where alerts go (docs/channels.md). Without a channel they are in logs/daemon.out of the home.
${channels}
# Alerts within this time are one message.
policy: { group: 10s }
`;
}

function inOneLine(value: object | string): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim();
}
