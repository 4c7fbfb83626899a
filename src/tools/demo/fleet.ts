/** An agent that is played on a screen: in a tmux pane, or without tmux into a log. */
interface Played {
  readonly id: string;
  readonly part: string;
  /** More keys of its entry in the config. */
  readonly more?: string;
}

/** Those with a screen. */
export const ON_SCREEN: readonly Played[] = [
  { id: "refactor", part: "working" },
  { id: "release", part: "asking" },
  { id: "reviewer", part: "limited" },
  { id: "migrator", part: "hung", more: ", stall: 30s" },
  { id: "fixer", part: "looping", more: ", stall: 30s" },
];

/** Those that beat, or are known by their process alone. */
export const BEHIND: readonly Played[] = [
  { id: "mailer", part: "beating" },
  { id: "scraper", part: "silent" },
  { id: "deployer", part: "failing" },
  { id: "indexer", part: "sleeping" },
];

/** It crashes and is brought back. */
export const CRASHING: Played = { id: "trainer", part: "crashing" };

/** The config of the demo. `socket` names its tmux server; without one the screens are logs. It ends with the process `pid`. */
export function demoConfig(home: string, socket: string | undefined, pid: number): string {
  const watched = (id: string) =>
    socket === undefined
      ? `log: { path: "${home}/{agent}.log" }`
      : `tmux: { session: ${id}, socket: ${socket} }`;
  const { id } = CRASHING;
  const again = `DEMO=${pid} sh play.sh crashing > /dev/null 2>&1 & echo $! > ${id}.pid`;
  const back = socket === undefined ? `command: "${again}", cwd: "${home}"` : "respawn: true";
  const trainer = socket === undefined ? `process: { pidFile: "${home}/${id}.pid" }` : watched(id);
  return `# The config of the demo: every agent and time is made up.
livenessInterval: 2s
policy: { hold: 2s, group: 2s }
channels: { team: { kind: command, argv: [sh, -c, 'cat >> "${home}/messages"'] } } # a terminal would scroll away with them
agents:
${ON_SCREEN.map((each) => `  - { id: ${each.id}, group: code, ${watched(each.id)}${each.more ?? ""} }`).join("\n")}
  - { id: ${id}, group: code, ${trainer}, recover: [{ do: restart, with: { ${back} }, budget: { times: 20, within: 5m }, backoff: { first: 3s, longest: 3s } }] }
  - { id: mailer, group: bots, every: 10s, grace: 5s }
  - { id: scraper, group: bots, every: 10s, grace: 5s }
  - { id: deployer, group: bots, every: 10s, grace: 5s }
  - { id: indexer, group: bots, process: { pidFile: "${home}/indexer.pid" } }
  - { id: backup, group: nightly, schedule: "0 3 * * *", process: { journal: true } }
  - { id: archivist, group: nightly, every: 1h }
`;
}
