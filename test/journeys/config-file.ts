import type { Config, Declared, Rule } from "./model.ts";

/** The config file as a person would have written it. `$W` is the folder of the journey. */
export function configText({ agents, defaults, second }: Config): string {
  const channels = second ? ["first", "second"] : ["first"];
  return [
    "listen: 127.0.0.1:0",
    "livenessInterval: 300ms",
    `defaults: ${ruleText(defaults)}`,
    "policy: { hold: 300ms, group: 200ms }",
    "channels:",
    ...channels.map((name) => `  ${name}: { kind: webhook, url: "$SINK/${name}", secretFile: $W/secret }`),
    ...(agents.length === 0 ? [] : ["agents:", ...agents.map(agentText)]),
  ].join("\n");
}

function ruleText({ every, grace }: Rule): string {
  return `{ every: ${every}, grace: ${grace} }`;
}

/** Each agent is a group of its own: what happens to many at once is not what journeys are about. */
function agentText({ id, rule, log, pane, process, run, recover }: Declared): string {
  const parts = [`id: ${id}`, `group: ${id}`];
  if (rule !== undefined) parts.push(`every: ${rule.every}`, `grace: ${rule.grace}`);
  if (log) parts.push(`log: { path: "$W/${id}.log", plain: true }`);
  if (pane) parts.push(`tmux: { session: ${id}, socketPath: "$W/tmux/tmux-$USER_ID/default" }`);
  if (process) parts.push(`process: { pidFile: "$W/${id}.pid" }`);
  if (run) parts.push("process: { journal: true }");
  if (recover) {
    const how = pane ? "respawn: true" : `command: "$W/bin/start-worker ${id}"`;
    parts.push(
      `recover: [{ do: restart, with: { ${how} }, backoff: { first: 1s, longest: 1s }, budget: { times: 20, within: 10m } }]`,
    );
  }
  return `  - { ${parts.join(", ")} }`;
}
