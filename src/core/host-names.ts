/** The name that an agent of a host has on the hub. */
export function hubName(agent: string, host: string): string {
  return `${agent}@${host}`;
}

/** The agent on the hub that stands for a host: every watcher has one of its own. */
export function hostAgent(host: string): string {
  return hubName("rollcall", host);
}
