import { describe, expect, it } from "vitest";
import { ask, HOME_TOKEN, type MadeUpWeb, madeUpWeb, withToken } from "../../../test/made-up-web.ts";

const codes = "/api/v1/session/codes";

async function address(web: MadeUpWeb, token = HOME_TOKEN): Promise<string> {
  const made = await ask(`${web.url}${codes}`, { method: "POST", token });
  expect(made.status).toBe(201);
  return made.json.url as string;
}

describe("an address with a code", () => {
  it("signs one browser in, once, and leads to the page without the code", async () => {
    const web = await madeUpWeb();
    const url = await address(web);
    expect(url).toMatch(/\/sign-in\?code=[A-Za-z0-9]{32}$/);
    // A program that only looks where the link leads does not use it up.
    expect((await ask(url, { method: "HEAD" })).status).toBe(405);
    const said = await ask(url);
    expect(said).toMatchObject({ status: 303, headers: { location: "/", "cache-control": "no-store" } });
    const line = String(said.headers["set-cookie"]);
    expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/);
    const cookie = line.split(";")[0] ?? "";
    expect((await ask(`${web.url}/api/v1/session`, { headers: { cookie } })).json).toMatchObject({
      ...{ signedIn: true, scope: "admin" },
    });
    expect((await ask(`${web.url}/api/v1/agents`, { headers: { cookie } })).status).toBe(200);
    const again = await ask(url);
    expect(again).toMatchObject({ status: 401, json: { code: "needs-token" } });
    expect(again.json.detail).toContain("rollcall open");
    expect(again.headers["set-cookie"]).toBeUndefined();
    const page = await ask(url, { headers: { accept: "text/html" } });
    expect(page).toMatchObject({ status: 401, body: expect.stringContaining("rollcall open") });
  });

  it("is good for a minute, and not after a restart or when its token is taken back", async () => {
    const { store, secret, id } = await withToken("admin");
    const web = await madeUpWeb({ store });
    const late = await address(web);
    web.clock.move(60_000);
    expect((await ask(late)).status).toBe(401);
    const orphan = await address(web, secret);
    await ask(`${web.url}/api/v1/tokens/${id}`, { method: "DELETE", token: HOME_TOKEN });
    expect((await ask(orphan)).status).toBe(401);
    const before = new URL(await address(web)).search;
    await web.stop();
    const { url } = await madeUpWeb({ store });
    expect((await ask(`${url}/sign-in${before}`)).status).toBe(401);
  });

  it("is made for an admin alone, and guesses are slowed down", async () => {
    const { store, secret } = await withToken("read");
    const { url } = await madeUpWeb({ store });
    for (const [token, status] of [
      [null, 401],
      [secret, 403],
    ] as const) {
      expect((await ask(`${url}${codes}`, { method: "POST", token })).status).toBe(status);
    }
    const guesses = await Promise.all(Array.from({ length: 80 }, () => ask(`${url}/sign-in?code=guess`)));
    expect(guesses.some(({ status }) => status === 429)).toBe(true);
  });
});
