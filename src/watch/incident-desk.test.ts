import { describe, expect, test } from "vitest";
import type { Agent } from "../core/agent.ts";
import { MINUTE } from "../core/duration.ts";
import type { Incident } from "../core/incident/incident.ts";
import { defaultPolicy } from "../core/incident/policy.ts";
import type { Flip } from "../core/liveness/verdict.ts";
import type { Persistable } from "../ports/store.ts";
import { DeskDraft, type Turn } from "./desk-draft.ts";
import { IncidentDesk } from "./incident-desk.ts";
import { newPlace, type RollPlace } from "./roll-place.ts";

const T0 = Date.parse("2026-06-01T12:00:00Z");
const LATER = T0 + 10 * MINUTE;

/** A desk with so many open incidents, and how many of them a step has read. */
function deskOf(count: number, incident: (agent: string) => Partial<Incident>, more: Incident[] = []) {
  const read = new Set<string>();
  const incidents = Array.from({ length: count }, (_, at): Incident => {
    const agent = `a${at}`;
    const found = { ...incidentOf(agent), ...incident(agent) };
    return Object.defineProperty(found, "told", { enumerable: true, get: () => read.add(agent) && {} });
  });
  const desk = new IncidentDesk({ incidents: [...incidents, ...more], records: [] }, defaultPolicy(["ops"]));
  const places = new Map(incidents.map(({ subject }) => [subject, placeOf(subject)]));
  // Whatever was loaded is looked at once.
  while (desk.nextAt <= T0 + 1000) run(desk, { now: T0 + 1000, places });
  read.clear();
  return { desk, read, places };
}

function incidentOf(agent: string): Incident {
  return {
    id: `${agent}-1`,
    kind: "agent",
    subject: agent,
    group: "default",
    state: "dead",
    reason: "no-beat",
    why: "no beat for 30 s",
    severity: "critical",
    since: T0,
    noticedAt: T0,
    openedAt: T0,
    episodes: [T0],
    flapping: false,
    change: 1,
    told: {},
  };
}

function massOf(count: number): Incident {
  const members = Array.from({ length: count }, (_, at) => `a${at}`).sort();
  const told = { ops: { change: 1, at: T0, reminders: 0 } };
  return { ...incidentOf("default"), id: "mass-1", kind: "group", reason: "group-silent", told, members };
}

function placeOf(id: string): RollPlace {
  const agent: Agent = { id, rule: { every: MINUTE, grace: MINUTE }, origin: "beat", addedAt: T0 };
  return newPlace(agent);
}

function flipOf(agent: string, to: Flip["to"], at: number): Flip {
  const from = to === "dead" ? "alive" : "dead";
  return { agent, at, noticedAt: at, from, to, reason: to === "dead" ? "no-beat" : "beat", why: to };
}

function run(
  desk: IncidentDesk,
  step: Partial<Omit<Turn, "places">> & { now: number; places: ReadonlyMap<string, RollPlace> },
  draft = new DeskDraft(),
): Required<Omit<Persistable, "recoveries" | "runs" | "issues">> {
  const { places: known } = step;
  const answer = desk.respond(
    {
      ...{ flips: [], removed: [], deliveries: [], judging: true, ...step },
      places: () => known.values(),
      find: (id) => known.get(id),
    },
    draft,
  );
  desk.apply(answer, draft);
  return { incidents: [], deliveries: [], records: [], ...answer };
}

describe("a step costs what it changes, however many incidents are open", () => {
  test("a command about one of two thousand incidents reads that one", () => {
    const { desk, read, places } = deskOf(2000, () => ({ spokenForBy: "mass-1" }), [massOf(2000)]);
    const draft = new DeskDraft();
    const parts = { findings: { at: LATER, items: [] } };
    desk.take({ kind: "attach", id: "a1500-1", parts }, T0 + 2000, draft);
    run(desk, { now: T0 + 2000, places }, draft);
    expect([...read]).toEqual(["a1500"]);
  });

  test("one member of a mass that is back reads that one; the half of them ends it", () => {
    const { desk, read, places } = deskOf(200, () => ({ spokenForBy: "mass-1" }), [massOf(200)]);
    run(desk, { now: T0 + 2000, places, flips: [flipOf("a0", "alive", T0 + 2000)] });
    expect([...read]).toEqual(["a0"]);
    const mass = () => [...desk.incidents].find(({ id }) => id === "mass-1");
    for (let at = 1; at < 99; at++)
      run(desk, { now: T0 + 3000, places, flips: [flipOf(`a${at}`, "alive", T0 + 3000)] });
    expect(mass()?.resolved).toBeUndefined();
    run(desk, { now: T0 + 4000, places, flips: [flipOf("a99", "alive", T0 + 4000)] });
    expect(mass()?.resolved?.why).toContain("100 of 200 are back");
    expect([...desk.incidents].filter(({ spokenForBy }) => spokenForBy !== undefined)).toEqual([]);
  });

  test("one more death while many are held back reads nobody else", () => {
    const { desk, read, places } = deskOf(2000, () => ({}));
    places.set("late", placeOf("late"));
    run(desk, { now: T0 + 2000, places, flips: [flipOf("late", "dead", T0 + 2000)] });
    expect([...read]).toEqual([]);
  });
});

test("those who were held together become one incident when the hold of the first ends", () => {
  const { desk, places } = deskOf(50, () => ({}));
  places.set("late", placeOf("late"));
  run(desk, { now: T0 + MINUTE, places, flips: [flipOf("late", "dead", T0 + MINUTE)] });
  expect(desk.nextAt).toBe(T0 + 2 * MINUTE);
  const { incidents, deliveries } = run(desk, { now: T0 + 2 * MINUTE, places });
  const masses = incidents.flatMap(({ incident }) => (incident.kind === "group" ? [incident] : []));
  expect(masses.map(({ members }) => members?.length)).toEqual([51]);
  expect(deliveries).toHaveLength(1);
});

test("three thousand who fell silent become one incident in short steps, and are told of once", () => {
  const { desk, places } = deskOf(3000, () => ({}));
  const now = T0 + 2 * MINUTE;
  const steps: ReturnType<typeof run>[] = [];
  while (desk.nextAt <= now) steps.push(run(desk, { now, places }));
  const sizes = steps.map((step) => step.incidents.length + step.deliveries.length + step.records.length);
  expect(Math.max(...sizes)).toBeLessThan(300);
  const mass = [...desk.incidents].filter(({ kind }) => kind === "group");
  expect(mass.map(({ members, why }) => [members?.length, why.split(":")[0]])).toEqual([
    [3000, "3000 of 3000 agents fell silent at once"],
  ]);
  expect([...desk.incidents].filter(({ spokenForBy }) => spokenForBy === undefined)).toEqual(mass);
  expect(steps.flatMap(({ deliveries }) => deliveries)).toHaveLength(1);
});

test("a group's incident that somebody resolves is resolved for its members too", () => {
  const { desk, places } = deskOf(50, () => ({}));
  const now = T0 + 2 * MINUTE;
  run(desk, { now, places });
  const [mass] = [...desk.incidents].filter(({ kind }) => kind === "group");
  const draft = new DeskDraft();
  desk.take({ kind: "resolve", id: mass?.id ?? "", by: "ann" }, now + 1000, draft);
  run(desk, { now: now + 1000, places }, draft);
  expect([...desk.incidents].filter(({ resolved }) => resolved === undefined)).toEqual([]);
  expect(new Set([...desk.incidents].map(({ resolved }) => resolved?.by))).toEqual(new Set(["ann"]));
});

describe("an agent that needs another one", () => {
  const failing = (agent: string, at: number): Flip => ({
    ...flipOf(agent, "dead", at),
    ...{ to: "failing", reason: "says-error", why: "error" },
  });
  const needy = {
    ...defaultPolicy(["ops"]),
    needs: (agent: string) => (agent === "writer" ? ["gateway"] : []),
    neededBy: (agent: string) => (agent === "gateway" ? ["writer"] : []),
  };
  const places = new Map(["gateway", "writer"].map((id) => [id, placeOf(id)]));
  const told = ({ deliveries }: { readonly deliveries: readonly { about: string }[] }) =>
    deliveries.map(({ about }) => about);

  test("is told of only when the cause is over", () => {
    const desk = new IncidentDesk({ incidents: [], records: [] }, needy);
    const first = run(desk, { now: T0, places, flips: [failing("gateway", T0), failing("writer", T0)] });
    expect(told(first)).toEqual(["gateway"]);
    expect(first.deliveries[0]?.message.lines.at(-1)).toContain("writer");
    expect(told(run(desk, { now: T0 + 2 * MINUTE, places }))).toEqual([]);
    const over = [flipOf("gateway", "alive", T0 + 3 * MINUTE)];
    const after = [
      ...told(run(desk, { now: T0 + 3 * MINUTE, places, flips: over })),
      ...told(run(desk, { now: T0 + 5 * MINUTE, places })),
    ];
    expect(after.filter((about) => about === "writer")).toHaveLength(1);
  });

  test("is told of at once where nobody hears of the cause", () => {
    const routes = [{ agents: "writer", states: ["failing"], after: 0, to: ["ops"] }] as const;
    const desk = new IncidentDesk({ incidents: [], records: [] }, { ...needy, routes });
    const both = [failing("gateway", T0), failing("writer", T0)];
    expect(told(run(desk, { now: T0, places, flips: both }))).toEqual(["writer"]);
  });
});

test("a message that waits leaves with the question that was read meanwhile, and without one that is out of date", () => {
  const desk = new IncidentDesk(
    { incidents: [], records: [] },
    { ...defaultPolicy(["ops"]), page: "http://roll" },
  );
  const places = new Map([["bot", placeOf("bot")]]);
  const flip: Flip = { ...flipOf("bot", "dead", T0), to: "waiting", reason: "permission", why: "asks" };
  const { deliveries, incidents } = run(desk, { now: T0, places, flips: [flip] });
  const [delivery] = deliveries;
  const id = incidents[0]?.incident.id ?? "";
  if (delivery === undefined) throw new Error("nothing was queued");
  const asked = { text: "Proceed?", choices: [], fingerprint: "f", attach: "tmux attach -t bot" };
  const attach = (change: number) => {
    const draft = new DeskDraft();
    desk.take({ kind: "attach", id, parts: { asked: { ...asked, change } } }, T0 + 1000, draft);
    run(desk, { now: T0 + 1000, places }, draft);
  };
  attach(0);
  expect(desk.restated(delivery, T0 + 1000)).toBe(delivery);
  attach(1);
  const { message, key } = desk.restated(delivery, T0 + 1000);
  expect(key).toBe(delivery.key);
  expect(message.lines).toContain("│ Proceed?");
  expect(message.links).toEqual(["http://roll/agents/bot"]);
});

test("a silence of a group holds back its agents and no others", () => {
  const silence = { id: "s", agents: "*", group: "bots", from: T0, until: T0 + MINUTE, why: "", by: "me" };
  const kept = { kind: "silence", id: "s", at: T0, about: "*", current: true, body: silence } as const;
  const desk = new IncidentDesk({ incidents: [], records: [kept] }, defaultPolicy(["ops"]));
  const places = new Map([
    ["bot", newPlace({ id: "bot", group: "bots", origin: "beat", addedAt: T0 })],
    ["other", placeOf("other")],
  ]);
  const flips = ["bot", "other"].map(
    (agent): Flip => ({
      ...flipOf(agent, "dead", T0 + 1000),
      ...{ to: "failing", reason: "says-error" },
    }),
  );
  const { deliveries } = run(desk, { now: T0 + 1000, places, flips });
  expect(deliveries.map(({ about }) => about)).toEqual(["other"]);
});

describe("an agent that a reload moves to another group", () => {
  const inGroup = (id: string, group?: string): RollPlace =>
    newPlace({ ...placeOf(id).agent, ...(group === undefined ? {} : { group }) });
  const ids = ["a", "b", "c"];
  const died = (at: number) => ids.map((id) => flipOf(id, "dead", at));
  const back = (at: number) => ids.map((id) => flipOf(id, "alive", at));

  test("is muted with its new group, although its incident is an older one", () => {
    const silence = {
      id: "s",
      agents: "*",
      group: "new",
      from: T0,
      until: T0 + 60 * MINUTE,
      why: "",
      by: "me",
    };
    const kept = { kind: "silence", id: "s", at: T0, about: "*", current: true, body: silence } as const;
    const policy = { ...defaultPolicy(["ops"]), hold: 0 };
    const desk = new IncidentDesk({ incidents: [], records: [kept] }, policy);
    const places = new Map([["a", inGroup("a")]]);
    const [first] = run(desk, { now: T0, places, flips: [flipOf("a", "dead", T0)] }).deliveries;
    if (first === undefined) throw new Error("nothing was queued");
    places.set("a", inGroup("a", "new"));
    desk.policy = policy;
    run(desk, { now: T0 + 1000, places });
    expect(desk.held(first, T0 + 1000)).toEqual({ until: T0 + 60 * MINUTE, by: "mute" });
    run(desk, { now: T0 + MINUTE, places, flips: [flipOf("a", "alive", T0 + MINUTE)] });
    const again = run(desk, { now: T0 + 2 * MINUTE, places, flips: [flipOf("a", "dead", T0 + 2 * MINUTE)] });
    expect(again.deliveries).toEqual([]);
    expect([...desk.incidents].map(({ id, group }) => [id, group])).toEqual([[first.incident, "new"]]);
  });

  test("is not counted among those of its old group when it falls silent again", () => {
    const desk = new IncidentDesk({ incidents: [], records: [] }, defaultPolicy(["ops"]));
    const places = new Map(ids.map((id) => [id, inGroup(id)]));
    run(desk, { now: T0, places, flips: died(T0) });
    run(desk, { now: T0 + MINUTE, places, flips: back(T0 + MINUTE) });
    for (const id of ids) places.set(id, inGroup(id, id));
    run(desk, { now: T0 + 2 * MINUTE, places, flips: died(T0 + 2 * MINUTE) });
    const { deliveries } = run(desk, { now: T0 + 4 * MINUTE, places });
    expect(deliveries.map(({ about }) => about).sort()).toEqual(ids);
    expect([...desk.incidents].map(({ kind }) => kind)).toEqual(["agent", "agent", "agent"]);
  });
});
