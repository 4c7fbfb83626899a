import { expect, it } from "vitest";
import { ask, HOME_TOKEN, madeUpWeb, withToken } from "../../test/made-up-web.ts";
import { MINUTE } from "../core/duration.ts";
import { memoryStore } from "../store/memory/memory.ts";

const LIMITS = { max: 4, perMinute: 3 };

it("an unknown id beyond the limits gets 429, and nothing of it is stored", async () => {
  const store = memoryStore();
  const { secret: key } = await withToken("beat", { pingKey: true }, store);
  const web = await madeUpWeb({ store, newcomers: LIMITS });
  const told: string[] = [];
  web.watcher.onCrowded((why) => told.push(why));
  const post = (body: unknown, token?: string) =>
    ask(`${web.url}/api/v1/beats`, { method: "POST", body, ...(token === undefined ? {} : { token }) });
  const ids = () => [...web.watcher.reader.places()].map(({ agent }) => agent.id).sort();

  expect((await ask(`${web.url}/beat/a`)).status).toBe(200);
  // Two beats of one agent are one agent.
  expect((await post([{ agent: "b" }, { agent: "b" }])).status).toBe(204);
  // All or nothing: one more may come, and these are two.
  const crowded = await post([{ agent: "a" }, { agent: "c" }, { agent: "d" }]);
  expect(crowded).toMatchObject({ status: 429, json: { code: "too-many-agents" } });
  expect(Number(crowded.headers["retry-after"])).toBeGreaterThan(50);
  expect((await ask(`${web.url}/ping/${key}/c?create=1`)).status).toBe(201);
  const ping = await ask(`${web.url}/ping/${key}/d?create=1`);
  expect(ping).toMatchObject({ status: 429, body: expect.stringContaining("a minute") });
  expect(Number(ping.headers["retry-after"])).toBeGreaterThan(0);
  expect((await ask(`${web.url}/beat/d`)).status).toBe(429);
  expect(ids()).toEqual(["a", "b", "c"]);
  expect(await store.beats("a", { limit: 10 })).toHaveLength(1);
  expect(await store.beats("d", { limit: 10 })).toEqual([]);
  expect(told).toHaveLength(1);

  // Known agents beat on, and who shows a token is not counted.
  expect((await ask(`${web.url}/beat/a`)).status).toBe(200);
  expect((await post([{ agent: "e" }, { agent: "f" }], HOME_TOKEN)).status).toBe(204);
  // A minute later one more fits on the roll, and no second one.
  web.clock.move(MINUTE);
  expect((await ask(`${web.url}/beat/g`)).status).toBe(200);
  expect(await ask(`${web.url}/beat/h`)).toMatchObject({
    status: 429,
    headers: { "retry-after": "3600" },
    json: { detail: expect.stringContaining("autoRegister.max is 4") },
  });
  // Nor after a restart: the roll says how many there are.
  await web.stop();
  const again = await madeUpWeb({ store, newcomers: LIMITS });
  expect((await ask(`${again.url}/beat/h`)).status).toBe(429);
  // One that is removed or added by its owner makes room.
  const added = await ask(`${again.url}/api/v1/agents`, {
    method: "POST",
    token: HOME_TOKEN,
    body: { id: "a" },
  });
  expect(added.status).toBe(204);
  expect((await ask(`${again.url}/beat/h`)).status).toBe(200);
});
