import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { WIRE } from "../../src/core/host/batch.ts";
import type { HostEntry, HostFact } from "../../src/core/host/fact.ts";
import { VERSION } from "../../src/system/version.ts";
import { AGENTS, type Watching } from "./kit.ts";

/** As much of a host as its hub sees: it sends reports to any hub, and goes on from the number in the answer. */
export interface Pretended {
  readonly name: string;
  readonly secret: string;
  acked: number;
  seq: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Closes all connections to hubs. */
export const hangUp = () => agent.destroy();

export function entry(host: Pretended, n: number): HostFact {
  return { k: "entry", at: Date.now(), entry: entryOf(host, n) };
}

/** What it says of one of its agents. */
export function entryOf(host: Pretended, n: number): HostEntry {
  const at = Date.now();
  const said = {
    id: `bot${n}`,
    group: "bots",
    state: "alive",
    reason: "beat",
    why: `sent a beat at ${at}`,
  } as const;
  return { ...said, since: at - host.seq, lastBeatAt: at };
}

/** What stays the same in all reports of a host. */
export function spoken(name: string): { readonly spool: string; readonly boot: string } {
  return { spool: `spool-${name}`, boot: "boot" };
}

export function everything(host: Pretended): HostFact[] {
  const names = Array.from({ length: AGENTS }, (_, n) => n);
  const hello = { k: "hello", at: Date.now(), agents: names.map((n) => `bot${n}`) } as const;
  return [hello, ...names.map((n) => entry(host, n))];
}

export async function report(
  hub: Watching | undefined,
  host: Pretended,
  facts: readonly HostFact[],
  isLast = false,
): Promise<boolean> {
  const numbered = facts.map((fact) => ({ seq: ++host.seq, fact }));
  const batch = {
    ...{ v: WIRE, host: host.name, version: VERSION, from: host.acked, ...spoken(host.name) },
    ...{ clock: { wall: Date.now(), uptime: 9_000_000 }, backlog: 0, facts: numbered },
    ...(isLast ? { bye: true } : {}),
  };
  const text = await ask(hub, "/hub/v1/facts", { body: JSON.stringify(batch), token: host.secret });
  host.acked = (JSON.parse(text) as { acked: number }).acked;
  return true;
}

export function ask(
  hub: Watching | undefined,
  path: string,
  { body, token }: { readonly body?: string; readonly token?: string } = {},
): Promise<string> {
  return new Promise((done, failed) => {
    const headers = {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const sent = request(`${hub?.url}${path}`, {
      agent,
      method: body === undefined ? "GET" : "POST",
      headers,
    });
    sent.on("error", failed);
    sent.on("response", (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        if (answer.statusCode === 200) done(text);
        else failed(new Error(`${path}: ${answer.statusCode} ${text}`));
      });
    });
    sent.end(body);
  });
}

/** Does it for all of them, 32 at a time. */
export async function inLanes(
  hosts: readonly Pretended[],
  work: (host: Pretended, n: number) => Promise<unknown>,
) {
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < hosts.length; n = next++) {
      const host = hosts[n] as Pretended;
      // A hub that learns of a host for the first time takes everybody's first facts in two parts.
      do await work(host, n);
      while (host.acked < host.seq && host.acked === 0);
    }
  };
  await Promise.all(Array.from({ length: 32 }, lane));
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** The memory of a process, in megabytes. */
export function memoryOf({ child }: Watching): number {
  const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"));
  return Math.round(Number(line?.[1]) / 1024);
}
