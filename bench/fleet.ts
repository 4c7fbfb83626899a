import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../src/core/agent.ts";
import { MINUTE } from "../src/core/duration.ts";
import { FULL_TRUST } from "../src/core/liveness/trust.ts";
import { homeAt } from "../src/home/home.ts";
import { Writer } from "../src/home/store.ts";
import { uuidv7 } from "../src/system/uuid.ts";
import { hear, judged, newPlace } from "../src/watch/roll-place.ts";

const EVERY = 15 * MINUTE;

/** A home with so many agents that beat a moment ago. */
export async function fleet(path: string, count: number, origin: Agent["origin"] = "beat"): Promise<string> {
  const home = homeAt(path);
  const now = Date.now();
  const ids = Array.from({ length: count }, (_, i) => `agent-${i}`);
  const writer = Writer.take(home);
  if (writer === undefined) throw new Error("the new home is locked");
  const store = await writer.openStore();
  const agents = ids.map((id): Agent => ({ id, rule: { every: EVERY, grace: EVERY }, origin, addedAt: now }));
  const entries = agents.map((agent) => {
    const beat = { id: uuidv7(), agent: agent.id, host: "bench", source: "agent", status: "ok" } as const;
    const heard = hear(newPlace(agent), { ...beat, sentAt: now, receivedAt: now }, now, FULL_TRUST);
    return judged(heard, now, FULL_TRUST).place.entry;
  });
  await store.commit({ agents, entries, flushed: true });
  await store.close();
  writer.release();
  if (origin === "config")
    writeFileSync(
      join(path, "rollcall.yaml"),
      `agents:\n${ids.map((id) => `  - id: ${id}\n    every: 15m\n    grace: 15m\n`).join("")}`,
    );
  return path;
}
