import { expect, it } from "vitest";
import { ask, HOME_TOKEN, madeUpWeb } from "../../../test/made-up-web.ts";

const token = HOME_TOKEN;

async function post(url: string, beats: readonly object[]): Promise<void> {
  expect(await ask(`${url}/api/v1/beats`, { method: "POST", body: beats, token })).toMatchObject({
    status: 204,
  });
}

it("many large beats are answered page by page, none too large, and all of them in the end", async () => {
  const { url } = await madeUpWeb();
  const message = "m".repeat(10_000);
  // All of one request have the same time: a page has to end between them.
  for (let n = 0; n < 6; n++)
    await post(
      url,
      Array.from({ length: 90 }, (_, i) => ({ agent: "big", cycle: n * 90 + i, message })),
    );
  const cycles: number[] = [];
  let pages = 0;
  let path: string | null = "/api/v1/agents/big/beats?limit=10000";
  while (path !== null) {
    const said = await ask(`${url}${path}`, { token });
    expect(said.body.length).toBeLessThan(4.1 * 1024 * 1024);
    cycles.push(...(said.json.beats as { cycle: number }[]).map(({ cycle }) => cycle));
    path = said.json.next as string | null;
    pages += 1;
  }
  expect(pages).toBeGreaterThan(1);
  expect(cycles).toEqual(Array.from({ length: 540 }, (_, i) => 539 - i));
});

it("a long roll is sent while it is made, whole, and compressed on request", async () => {
  const { url } = await madeUpWeb();
  const message = "é\u2028".repeat(500);
  const ids = Array.from({ length: 600 }, (_, n) => `a${String(n).padStart(3, "0")}`);
  for (let n = 0; n < ids.length; n += 100)
    await post(
      url,
      ids.slice(n, n + 100).map((agent) => ({ agent, message })),
    );
  const said = await ask(`${url}/api/v1/agents`, { token });
  expect(said.headers.etag).toBeUndefined();
  expect(said.headers["transfer-encoding"]).toBe("chunked");
  expect(said.json.watcher.running).toBe(true);
  expect((said.json.agents as { id: string; message: string }[]).map(({ id }) => id).sort()).toEqual(ids);
  expect(said.json.agents[0].message).toBe(message);
  const packed = await fetch(`${url}/api/v1/agents`, {
    headers: { "accept-encoding": "gzip", authorization: `Bearer ${token}` },
  });
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  expect(((await packed.json()) as { agents: unknown[] }).agents).toHaveLength(600);
  // Following the pages gives all of it, once each and in order.
  const seen: string[] = [];
  for (let path: string | null = "/api/v1/agents?limit=250"; path !== null; ) {
    const { json } = await ask(`${url}${path}`, { token });
    seen.push(...(json.agents as { id: string }[]).map(({ id }) => id));
    path = json.next as string | null;
  }
  expect(seen).toEqual(ids);
  // A part of it is short, has a tag and says where to go on.
  const some = await ask(`${url}/api/v1/agents?limit=2&after=a100&text=${encodeURIComponent("É")}`, {
    token,
  });
  expect(some.headers.etag).toBeDefined();
  expect(some.json.agents.map(({ id }: { id: string }) => id)).toEqual(["a101", "a102"]);
  expect(some.json.next).toContain("after=a102");
  const last = await ask(`${url}/api/v1/agents?limit=2&after=a597`, { token });
  expect(last.json).toMatchObject({ agents: [{ id: "a598" }, { id: "a599" }], next: null });
});

it("everybody's strips are one object, however many agents there are", async () => {
  const { url } = await madeUpWeb();
  await post(
    url,
    Array.from({ length: 450 }, (_, n) => ({ agent: `a${n}` })),
  );
  const { json } = await ask(`${url}/api/v1/strips`, { token });
  expect(Object.keys(json.agents)).toHaveLength(450);
  expect(json.agents.a449).toEqual([[expect.any(Number), "alive"]]);
});
