import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../main.ts";
import {
  AGENTS,
  counted,
  invited,
  killed,
  newHome,
  removed,
  rollcall,
  started,
  type Watching,
} from "./kit.ts";

const MINUTES = Number(process.env.HOSTS_MINUTES ?? 4);
/** What a host tells when it joins is told once, and not each day. */
const SETTLING = 90_000;

/** A real host with idle agents, and every byte that goes between it and its hub. */
export async function hostsOnTheWire(): Promise<Result[]> {
  const [hubHome, hostHome] = [newHome("hub: { serve: true }\n"), newHome(idleAgents())];
  const hub = await started(hubHome);
  const wire = await counted(hub.url);
  let host: Watching | undefined;
  try {
    const { code } = await invited(hubHome, "web1");
    await rollcall(hostHome, "join", wire.url, code);
    host = await started(hostHome);
    await sleep(SETTLING);
    const before = wire.count();
    await sleep(MINUTES * 60_000);
    const after = wire.count();
    const perDay = (bytes: number) => (bytes / MINUTES) * 24 * 60 * 1e-6;
    const perAgentHour = (bytes: number) => `${Math.round((bytes / MINUTES) * (60 / AGENTS))} bytes`;
    const row = (name: string, bytes: number, aim: string): Result => ({
      ...{ name, ours: `${perDay(bytes).toFixed(2)} MB`, ratio: null, aim, value: perDay(bytes) },
      baseline: `${perAgentHour(bytes)} an agent-hour, over ${MINUTES} min`,
    });
    return [
      row(
        `a host with ${AGENTS} idle agents, both ways, a day: bodies`,
        after.bodies - before.bodies,
        "under 3 MB",
      ),
      row("the same with HTTP headers, before TLS", after.bytes - before.bytes, "under 6 MB"),
    ];
  } finally {
    wire.close();
    for (const watching of [hub, host]) if (watching !== undefined) await killed(watching);
    for (const home of [hubHome, hostHome]) removed(home);
  }
}

function idleAgents(): string {
  const all = Array.from({ length: AGENTS }, (_, at) => `  - { id: idle-${at}, every: 1d }`);
  return `agents:\n${all.join("\n")}\n`;
}
