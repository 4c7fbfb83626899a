import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { openSqlite } from "../src/store/sqlite/index.ts";
import { daemon, temporaryHome } from "./product.ts";

const CONNECTIONS = 64;
const ROUNDS = 8;

/** One connection that sends beat after beat until it breaks, noting the ids that were acknowledged. */
function beatUntilBroken(url: string, agent: string, acknowledged: Set<string>): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((done) => {
    const socket = connect(Number(port), hostname);
    let id = "";
    const send = () => {
      id = randomUUID();
      const body = JSON.stringify({ id, agent, action: "work" });
      socket.write(
        `POST /api/v1/beats HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    };
    socket.on("connect", send);
    socket.on("data", (chunk) => {
      if (!chunk.toString("latin1").startsWith("HTTP/1.1 204")) {
        socket.destroy();
        return;
      }
      acknowledged.add(id);
      send();
    });
    socket.on("error", () => {});
    socket.on("close", () => done());
  });
}

describe("kill -9 during 64 connections of beats", () => {
  it(`loses no acknowledged beat, compared one by one, ${ROUNDS} times`, { timeout: 600_000 }, async () => {
    const home = temporaryHome(`autoRegister: { perMinute: ${CONNECTIONS} }\n`);
    const acknowledged = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const { url, end } = await daemon(home);
      const before = acknowledged.size;
      const broken = Array.from({ length: CONNECTIONS }, (_, i) =>
        beatUntilBroken(url, `agent-${i}`, acknowledged),
      );
      // Another moment of its life each time: after a growing number of acknowledged beats.
      await new Promise<void>((reached) => {
        const look = () => (acknowledged.size - before > 50 + round * 37 ? reached() : setTimeout(look, 2));
        look();
      });
      await end("SIGKILL");
      await Promise.all(broken);
    }
    await (await daemon(home)).end("SIGTERM");
    const store = await openSqlite(`${home}/rollcall.db`, { readOnly: true });
    const stored = new Set<string>();
    for (let i = 0; i < CONNECTIONS; i++) {
      for (const { id } of await store.beats(`agent-${i}`, { limit: 1_000_000 })) stored.add(id);
    }
    await store.close();
    expect(acknowledged.size).toBeGreaterThan(ROUNDS * 50);
    expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
  });
});
