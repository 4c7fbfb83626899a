import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ask, HOME_TOKEN, type MadeUpWeb, madeUpWeb } from "../../../test/made-up-web.ts";
import type { Delivery } from "../../core/delivery/delivery.ts";
import { HOUR, iso, MINUTE } from "../../core/duration.ts";
import type { Incident } from "../../core/incident/incident.ts";
import type { State } from "../../core/liveness/state.ts";
import type { IncidentChange } from "../../ports/store.ts";
import type { Authenticator } from "../access/authenticator.ts";
import { PROBLEMS } from "../kit/problem.ts";
import type { Api } from "./api.ts";
import { PLAIN } from "./plain.ts";
import { routesOf } from "./routes.ts";
import * as shapes from "./schemas.ts";

/** The table, for its schemas: nothing of it is called here. */
const routes = routesOf({ watcher: {}, store: {}, keys: {} } as Api, {} as Authenticator);
const beat = (web: MadeUpWeb, fields: object) =>
  ask(`${web.url}/api/v1/beats`, { method: "POST", body: fields });
const change = (web: MadeUpWeb, method: string, path: string, body?: object) =>
  ask(`${web.url}${path}`, { method, token: HOME_TOKEN, body });

/** A fleet with something in every list: beats, cycles, flips, incidents, a silence, a token, pings. */
async function fleet(): Promise<MadeUpWeb & { incident: string }> {
  const web = await madeUpWeb();
  await beat(web, { agent: "seen", cycle: 1, cycleEvent: "begun", action: "dig", host: "studio" });
  await beat(web, { agent: "seen", cycle: 1, cycleEvent: "ended", host: "studio" });
  await beat(web, { agent: "sick", status: "error", message: "no disk" });
  await change(web, "POST", "/api/v1/agents", { id: "added", group: "night" });
  await change(web, "POST", "/api/v1/silences", { agents: "seen", for: "1h" });
  await change(web, "POST", "/api/v1/tokens", { scope: "read" });
  const { json } = await ask(`${web.url}/api/v1/agents/seen`);
  await ask(`${web.url}/ping/${json.agents[0].pingUuid}/3`, { method: "POST", body: "out" });
  const { json: open } = await ask(`${web.url}/api/v1/incidents?open=true`);
  return { ...web, incident: open.incidents[0].id as string };
}

describe("the document", () => {
  it("has every route of the table and what goes past it, and nothing else", async () => {
    const { url } = await madeUpWeb();
    const { json } = await ask(`${url}/api/v1/openapi.json`);
    const documented = Object.entries(json.paths as Record<string, object>).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const registered = [
      ...routes.map(({ method, path }) => `${method} ${path}`),
      ...Object.values(PLAIN).flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`)),
    ];
    expect(documented.sort()).toEqual(registered.sort());
  });

  it("refers only to schemas that it has", async () => {
    const { url } = await madeUpWeb();
    const { json, body } = await ask(`${url}/api/v1/openapi.json`);
    const refs = new Set([...body.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref));
    const known = Object.keys(json.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(refs.size).toBeGreaterThan(5);
    for (const ref of refs) expect(known).toContain(ref);
  });

  it("is kept by the server: each route answers, and answers as it says", async () => {
    const web = await fleet();
    const { json: tokens } = await change(web, "GET", "/api/v1/tokens");
    const values: Record<string, string> = { key: "none" };
    for (const { method, path, answer, status = 200, problems = [] } of routes) {
      const id = path.includes("incidents")
        ? web.incident
        : path.includes("silences")
          ? "none"
          : path.includes("tokens")
            ? tokens.tokens[0].id
            : "seen";
      const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? id));
      const body =
        method === "POST"
          ? { id: "x", scope: "read", agents: "x", for: "1h", token: HOME_TOKEN, fingerprint: "x", choice: 1 }
          : undefined;
      const said = await change(web, method, address, body);
      if (said.status >= 400) {
        expect(shapes.problem.parse(said.json).status).toBe(said.status);
        expect(problems, `${method} ${path}: ${said.body}`).toContain(said.json.code);
        expect(PROBLEMS).toHaveProperty(said.json.code);
      } else if (answer === undefined) expect(said.status, `${method} ${path}`).toBe(204);
      else {
        expect(said.status, `${method} ${path}`).toBe(status);
        expect(answer.safeParse(said.json).error?.issues, `${method} ${path}`).toBeUndefined();
      }
    }
  });
});

describe("reading", () => {
  it("takes filters: state, group, host, text", async () => {
    const { url } = await fleet();
    const ids = async (query: string) => {
      const { json } = await ask(`${url}/api/v1/agents?${query}`);
      return (json.agents as { id: string }[]).map(({ id }) => id).sort();
    };
    expect(await ids("")).toEqual(["added", "seen", "sick"]);
    expect(await ids("state=failing,new")).toEqual(["added", "seen", "sick"]);
    expect(await ids("state=new")).toEqual(["added"]);
    expect(await ids("group=night")).toEqual(["added"]);
    expect(await ids("text=NO+DISK")).toEqual(["sick"]);
    expect(await ids("text=nothing+like+it")).toEqual([]);
    expect(await ids("limit=2")).toEqual(["added", "seen"]);
    const { json } = await ask(`${url}/api/v1/agents?limit=2`);
    expect((await ask(`${url}${json.next}`)).json).toMatchObject({ agents: [{ id: "sick" }], next: null });
  });

  it("finds what is open behind any number that is over, page by page, groups and members apart", async () => {
    const { url, watcher } = await madeUpWeb();
    const now = Date.now();
    const incident = (subject: string, at: number, more: Partial<Incident> = {}): IncidentChange => {
      const why = { state: "dead", reason: "no-beat", why: "silent", severity: "critical" } as const;
      const times = { since: at, noticedAt: at, openedAt: at, episodes: [at] };
      const incident: Incident = {
        ...{ id: `${subject}-i`, kind: "agent", subject, group: "g", ...why, ...times },
        ...{ flapping: false, change: 1, told: {}, ...more },
      };
      return { incident, ofInterest: true };
    };
    const resolved = { at: now, how: "recovered", why: "back" } as const;
    const many = (name: string, count: number, more: Partial<Incident>) =>
      Array.from({ length: count }, (_, n) => incident(`${name}${n}`, now - 1000, more));
    await watcher.persist({
      incidents: [
        incident("g", now - 9000, { kind: "group", members: ["member0"] }),
        incident("alone", now - 8000, { reason: "exited" }),
        ...many("over", 60, { resolved }),
        ...many("member", 30, { spokenForBy: "g-i" }),
      ],
    });
    const read = async (query: string) => {
      const pages: string[][] = [];
      let next: string | null = `/api/v1/incidents?${query}`;
      while (next !== null) {
        const { json }: Awaited<ReturnType<typeof ask>> = await ask(`${url}${next}`);
        pages.push(json.incidents.map(({ subject }: { subject: string }) => subject));
        expect(json.counts).toEqual({ open: 32, spokenFor: 30 });
        next = json.next;
      }
      return pages;
    };
    expect(await read("open=true&grouped=true&limit=50")).toEqual([["alone", "g"]]);
    expect(await read("open=true&kind=group&limit=50")).toEqual([["g"]]);
    // All of one moment, and still in pages of the size that was asked for.
    const open = await read("open=true&limit=10");
    expect(open.map(({ length }) => length)).toEqual([10, 10, 10, 2]);
    expect(new Set(open.flat()).size).toBe(32);
    expect((await read("over=true&limit=50")).map(({ length }) => length)).toEqual([50, 10]);
  });

  it("gives every message about an incident, however many there are of others", async () => {
    const { url, watcher, incident } = await fleet();
    const { json: before } = await ask(`${url}/api/v1/incidents/${incident}`);
    const { subject } = before.incident;
    const delivery = (key: string, of: string, at: number): Delivery => ({
      ...{ key, to: "team", about: "sick", incident: of, createdAt: at, dueAt: at, attempts: 1 },
      ...{ state: "sent", message: { severity: "info", title: key, lines: [] } },
    });
    await watcher.persist({
      deliveries: [
        delivery(`${subject}:${incident}:opened-1:team`, incident, 1000),
        delivery(`${subject}:${incident}x:opened-1:team`, `${incident}x`, 1000),
        ...Array.from({ length: 1100 }, (_, n) =>
          delivery(`other:other-i:reminder-1-${n}:team`, "other-i", n + 2000),
        ),
      ],
    });
    const { json } = await ask(`${url}/api/v1/incidents/${incident}`);
    expect(json.deliveries).toHaveLength(before.deliveries.length + 1);
  });

  it.each([
    ["/api/v1/incidents?cursor=first", "cursor: expected the cursor of a page's `next`"],
    ["/api/v1/incidents?open=true&over=true", "over: expected only one of open and over"],
    ["/api/v1/agents?state=well", "state: expected some of dead"],
    ["/api/v1/agents/seen/beats?limit=0", "limit: expected a whole number from 1 to 10000"],
    ["/api/v1/agents/seen/beats?limit=many", "limit: expected a whole number"],
    ["/api/v1/agents/seen/flips?before=yesterday", "before: expected an ISO 8601 time"],
    ["/api/v1/strips?hours=1000", "hours: expected hours from 1 to 168"],
  ])("%s says what would be right", async (path, detail) => {
    const { url } = await fleet();
    const said = await ask(`${url}${path}`);
    expect(said).toMatchObject({ status: 400, json: { code: "bad-request" } });
    expect(said.json.detail).toContain(detail);
  });

  it("goes on from page to page until the end", async () => {
    const web = await madeUpWeb();
    for (let cycle = 1; cycle <= 5; cycle++) {
      await beat(web, { agent: "allegro", cycle });
      web.clock.move(1000);
    }
    const cycles: number[] = [];
    let path: string | null = "/api/v1/agents/allegro/beats?limit=2";
    while (path !== null) {
      const { json } = await ask(`${web.url}${path}`);
      cycles.push(...(json.beats as { cycle: number }[]).map(({ cycle }) => cycle));
      path = json.next as string | null;
    }
    expect(cycles).toEqual([5, 4, 3, 2, 1]);
  });

  it("is answered with 304 while nothing changed, and compressed on request", async () => {
    const web = await fleet();
    const path = `${web.url}/api/v1/agents/sick/flips`;
    const first = await ask(path);
    const again = await ask(path, { headers: { "if-none-match": String(first.headers.etag) } });
    expect(again).toMatchObject({ status: 304, body: "" });
    await beat(web, { agent: "sick" });
    expect((await ask(path, { headers: { "if-none-match": String(first.headers.etag) } })).status).toBe(200);
    const response = await fetch(`${web.url}/api/v1/openapi.json`, {
      headers: { "accept-encoding": "gzip", authorization: `Bearer ${HOME_TOKEN}` },
    });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(await response.json()).toHaveProperty("openapi");
  });

  it("gives everybody's last day small: what it was, and from when", async () => {
    const web = await madeUpWeb();
    const now = web.clock.wall();
    const flip = (agent: string, ago: number, from: State, to: State) => ({
      ...{ agent, from, to, reason: "beat" as const, why: "", at: now - ago, noticedAt: now - ago },
    });
    for (const id of ["calm", "wild", "new"]) await change(web, "POST", "/api/v1/agents", { id });
    await web.store.commit({
      flips: [
        flip("wild", 30 * HOUR, "new", "alive"),
        flip("wild", 2 * HOUR, "alive", "late"),
        flip("wild", HOUR, "late", "dead"),
        // In the same moment, so that no clock puts a second between the two.
        flip("wild", HOUR, "dead", "alive"),
        flip("new", MINUTE, "new", "alive"),
      ],
    });
    const { json } = await ask(`${web.url}/api/v1/strips?hours=24`);
    const round = ([at, state]: [number, string]) => `${Math.round(at / 60)} ${state}`;
    const shown = Object.entries(json.agents as Record<string, [number, string][]>);
    expect(Object.fromEntries(shown.map(([id, strip]) => [id, strip.map(round)]))).toEqual({
      calm: ["1440 new"],
      wild: ["0 alive", "1320 late", "1380 alive"],
      new: ["1439 alive"],
    });
    expect(z.iso.datetime().parse(json.from) < iso(now)).toBe(true);
  });

  it("adds up the past of an agent, and the uptime of all", async () => {
    const web = await madeUpWeb();
    const now = Date.now();
    const flip = (agent: string, ago: number, from: State, to: State) => ({
      ...{ agent, from, to, reason: "beat" as const, why: "" },
      ...{ at: now - ago, noticedAt: now - ago },
    });
    for (const id of ["calm", "wild"]) await change(web, "POST", "/api/v1/agents", { id });
    await web.store.commit({
      flips: [flip("wild", 9 * HOUR, "alive", "dead"), flip("wild", 7 * HOUR, "dead", "alive")],
    });
    const { json } = await ask(`${web.url}/api/v1/agents/wild/range?hours=168`);
    expect(json.states).toHaveLength(84);
    expect(json.beats).toHaveLength(84);
    const dead = (json.states as { dead?: number }[]).reduce((sum, part) => sum + (part.dead ?? 0), 0);
    expect(dead).toBe(2 * HOUR);
    // Two hours of 168.
    expect(json.uptime).toBe(9880);
    const { json: all } = await ask(`${web.url}/api/v1/uptime`);
    expect(all.agents.calm).toEqual([null, null, null]);
    expect(all.agents.wild[2]).toBeGreaterThan(all.agents.wild[0]);
  });

  it("says which methods an address takes, and that there is nothing", async () => {
    const { url } = await madeUpWeb();
    expect(await ask(`${url}/api/v1/agents/x/flips`, { method: "POST" })).toMatchObject({
      status: 405,
      json: { code: "wrong-method", detail: "this address takes GET" },
    });
    expect(await ask(`${url}/api/v1/nothing`)).toMatchObject({ status: 404, json: { code: "not-found" } });
    expect(await ask(`${url}/api/v1/agents/x`)).toMatchObject({
      status: 404,
      json: { code: "no-such-agent" },
    });
  });
});
