import { expect, test } from "vitest";
import { incidentOperations } from "./incidents.ts";
import type { LocalParts } from "./parts.ts";

/** The operations of a watcher that notes its commands, on a host of a hub or on its own. */
function opened(reportsTo: LocalParts["reportsTo"]) {
  const did: string[] = [];
  const watcher = async () => ({ command: async ({ kind }: { kind: string }) => void did.push(kind) });
  const parts = { watcher, now: () => 0, newId: () => "s1", reportsTo } as unknown as LocalParts;
  return { did, operations: incidentOperations(parts) };
}

const MUTE = { agents: "bot", for: "1h", why: "", by: "Ann" };

test("a host does not claim to acknowledge or mute: its hub sends the alerts", async () => {
  const { did, operations } = opened(() => ({ url: "https://hub:7766", host: "web1" }));
  const refused = /the hub https:\/\/hub:7766 sends the alerts .* there; this host is called "web1"/;
  await expect(operations.acknowledge("i", "Ann")).rejects.toThrow(refused);
  await expect(operations.addSilence(MUTE)).rejects.toMatchObject({ code: "told-by-hub" });
  expect(did).toEqual([]);
});

test("a watcher without a hub does both", async () => {
  const { did, operations } = opened(() => undefined);
  await operations.acknowledge("i", "Ann");
  await operations.addSilence(MUTE);
  expect(did).toEqual(["acknowledge", "silence"]);
});
