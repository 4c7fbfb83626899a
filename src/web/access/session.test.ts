import { describe, expect, it } from "vitest";
import { ask, HOME_TOKEN, madeUpWeb, withToken } from "../../../test/made-up-web.ts";
import { DAY } from "../../core/duration.ts";

async function signIn(url: string, token: string) {
  const said = await ask(`${url}/api/v1/session`, { method: "POST", body: { token } });
  const line = String(said.headers["set-cookie"]);
  return { said, line, cookie: line.split(";")[0] ?? "" };
}

describe("a page that signs in", () => {
  it("gets a cookie that no script reads and no other site sends, and changes things with it", async () => {
    const { url, store } = await madeUpWeb();
    expect((await ask(`${url}/api/v1/session`, { token: null })).json).toMatchObject({
      signedIn: false,
      may: { read: false, beat: true, change: false },
      needs: "token",
    });
    const { said, line, cookie } = await signIn(url, HOME_TOKEN);
    expect(said).toMatchObject({ status: 200, json: { signedIn: true, scope: "admin", needs: null } });
    expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/);
    const kept = JSON.stringify(await store.records.page("session", { limit: 9 }));
    expect(kept).not.toContain(cookie.split("=")[1]);
    const { origin } = new URL(url);
    const add = (headers: Record<string, string>) =>
      ask(`${url}/api/v1/agents`, {
        method: "POST",
        body: { id: "allegro" },
        headers: { cookie, ...headers },
      });
    expect(await add({})).toMatchObject({ status: 403, json: { code: "not-allowed" } });
    expect(await add({ origin: "http://localhost:1" })).toMatchObject({ status: 403 });
    expect(await add({ origin })).toMatchObject({ status: 204 });
    expect((await ask(`${url}/api/v1/session`, { headers: { cookie } })).json).toMatchObject({
      signedIn: true,
    });
  });

  it("signs out, and the cookie is worth nothing any more", async () => {
    const { url } = await madeUpWeb();
    const { cookie } = await signIn(url, HOME_TOKEN);
    const { origin } = new URL(url);
    const out = await ask(`${url}/api/v1/session`, { method: "DELETE", headers: { cookie, origin } });
    expect(out.status).toBe(204);
    expect(String(out.headers["set-cookie"])).toContain("Max-Age=0");
    expect((await ask(`${url}/api/v1/session`, { headers: { cookie } })).json.signedIn).toBe(false);
  });

  it("is signed out when its time is over, when its token is taken back, and never by a restart", async () => {
    const { store, secret, id } = await withToken("admin");
    const first = await madeUpWeb({ store });
    const { cookie } = await signIn(first.url, secret);
    const late = await signIn(first.url, HOME_TOKEN);
    await first.stop();
    const { url, clock } = await madeUpWeb({ store });
    const isIn = async (each: string) =>
      (await ask(`${url}/api/v1/session`, { headers: { cookie: each } })).json.signedIn as boolean;
    expect(await isIn(cookie)).toBe(true);
    await ask(`${url}/api/v1/tokens/${id}`, { method: "DELETE", token: HOME_TOKEN });
    expect(await isIn(cookie)).toBe(false);
    expect(await isIn(late.cookie)).toBe(true);
    clock.move(7 * DAY);
    expect(await isIn(late.cookie)).toBe(false);
  });

  it("needs a token that reads, and the right one", async () => {
    const { store, secret } = await withToken("beat");
    const { url } = await madeUpWeb({ store });
    expect((await signIn(url, secret)).said).toMatchObject({ status: 403, json: { code: "wrong-scope" } });
    expect((await signIn(url, "wrong")).said).toMatchObject({ status: 401, json: { code: "needs-token" } });
    const guesses = await Promise.all(Array.from({ length: 80 }, () => signIn(url, "wrong")));
    expect(guesses.some(({ said }) => said.status === 429)).toBe(true);
  });

  it("keeps its cookie to TLS where it came by TLS", async () => {
    const { url } = await madeUpWeb({ names: ["roll.example"] });
    const said = await ask(`${url}/api/v1/session`, {
      method: "POST",
      body: { token: HOME_TOKEN },
      headers: { host: "roll.example", "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.7" },
    });
    expect(String(said.headers["set-cookie"])).toContain("; Secure");
  });
});
