import { Agent, get } from "node:http";
import { expect, it } from "vitest";
import { openDoor } from "./door.ts";

it("closes although clients send one request after the other on open connections, and answers them all", async () => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  let answered = 0;
  const door = await openDoor({ host: "127.0.0.1", port: 0, log }, (_, response) => {
    // Not at once: some are under way at any moment.
    setTimeout(() => response.end("ok"), Math.random() * 5);
  });
  const agent = new Agent({ keepAlive: true });
  let enough = () => {};
  const many = new Promise<void>((done) => {
    enough = done;
  });
  const client = (): Promise<string> =>
    new Promise((ended) => {
      const ask = () =>
        get(door.url, { agent }, (response) => {
          response.resume().on("end", () => {
            answered += 1;
            if (answered === 100) enough();
            ask();
          });
        }).on("error", (error: NodeJS.ErrnoException) => ended(error.code ?? ""));
      ask();
    });
  const clients = Array.from({ length: 8 }, client);
  await many;
  await door.stop();
  for (const code of await Promise.all(clients)) expect(["ECONNREFUSED", "ECONNRESET"]).toContain(code);
  agent.destroy();
});
