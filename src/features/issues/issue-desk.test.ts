import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FakeForge } from "../../../test/fake-forge.ts";
import { VirtualClock } from "../../../test/virtual-clock.ts";
import { DAY, HOUR, MINUTE } from "../../core/duration.ts";
import type { Incident } from "../../core/incident/incident.ts";
import { boxesIn, withTicks } from "../../core/rca/boxes.ts";
import { draftOf } from "../../core/rca/issue.ts";
import { DEFAULT_TEMPLATE } from "../../core/rca/template.ts";
import { tickSubject } from "../../core/rca/tick-subject.ts";
import { openForge } from "../../forges/registry.ts";
import { memoryStore } from "../../store/memory/memory.ts";
import { Watcher } from "../../watch/watcher.ts";
import { madeUpIncident, T0 } from "./forge.fixture.ts";
import { IssueDesk, type IssueDeskOptions } from "./issue-desk.ts";
import { HandedOverIssues, PendingIssues } from "./marked-files.ts";

const CREATE = /^POST .*\/issues$/;
const COMMENT = /^POST .*\/comments$/;
const EDIT = /^PATCH /;
const ID = "allegro-mm8ws3v4";

async function office(more: Partial<IssueDeskOptions> = {}) {
  const home = mkdtempSync(join(tmpdir(), "rollcall-issues-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const server = await new FakeForge({ kind: "gitea" }).start();
  const clock = new VirtualClock(T0);
  const store = memoryStore();
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const watcher = await Watcher.load(
    { store, clock, log, bootId: "boot" },
    { autoRegister: true, defaultRule: { every: HOUR, grace: HOUR }, agents: [] },
  );
  onTestFinished(() => watcher.stop());
  const settings = {
    kind: "gitea",
    url: server.url,
    repo: "org/fleet",
    timeout: 2000,
    tokenEnv: "T",
  } as const;
  const pending = new PendingIssues(home);
  const handedOver = new HandedOverIssues(home);
  const open = () =>
    new IssueDesk({
      ...{ watcher, store, pending, handedOver },
      forge: () => ({ forge: openForge(settings, server.token), secrets: [server.token] }),
      policy: { states: ["dead", "stalled"], after: 15 * MINUTE },
      template: () => DEFAULT_TEMPLATE,
      now: () => clock.wall(),
      closeOnRecovery: false,
      escalateTo: ["mail", "chat"],
      healthyTick: () => undefined,
      ...more,
    });
  const put = (incident: Incident) => watcher.persist({ incidents: [{ incident, ofInterest: true }] });
  const incident = () => store.incidents.one(ID);
  const told = async () => (await store.deliveries.page({ limit: 100 })).map(({ key }) => key).sort();
  const words = (n = 0) =>
    (server.issues[n]?.comments ?? []).map(({ body }) => /\*\*(.+?)\*\*/.exec(body)?.[1] ?? body);
  const recover = async () => {
    const now = await incident();
    if (now === undefined) throw new Error("no incident");
    await put({
      ...now,
      resolved: { at: clock.wall(), how: "recovered", why: "alive: its last beat is fresh" },
    });
  };
  return { server, clock, store, watcher, pending, handedOver, open, put, incident, told, words, recover };
}

describe("an incident that lasts", () => {
  it("becomes one issue with its evidence, and the two name each other", async () => {
    const { server, clock, store, open, put, incident } = await office();
    await put(madeUpIncident());
    const desk = open();
    clock.freeze(14 * MINUTE);
    expect(await desk.run()).toEqual({ filed: 0, followed: 0 });
    expect(server.requests).toEqual([]);
    clock.freeze(MINUTE);
    expect(await desk.run()).toEqual({ filed: 1, followed: 0 });
    const [issue] = server.issues;
    expect(issue?.title).toBe("RCA-AGENT: allegro fell silent (2026-04-04)");
    expect(issue?.body).toContain("panic: out of memory");
    expect(issue?.body).toContain(ID);
    expect(issue?.labels).toEqual(["agent-health", "rca-required", "auto-generated"]);
    expect((await incident())?.issue).toEqual({
      forge: expect.stringContaining("gitea org/fleet at "),
      number: 1,
      url: issue?.html_url,
    });
    expect(await store.issues.one(ID)).toEqual({
      key: ID,
      marker: `<!-- rollcall:${ID} -->`,
      number: 1,
      url: issue?.html_url,
      createdAt: T0 + 15 * MINUTE,
      agent: "allegro",
      incident: ID,
      nextAt: T0 + 15 * MINUTE + HOUR,
      followed: [],
      recovered: false,
      closed: false,
    });
    const asked = server.requests.length;
    for (const each of [desk, open(), open()]) await each.run();
    expect(server.requests).toHaveLength(asked);
    expect(server.refused).toEqual([]);
  });

  it("is filed for a group once, and not for those whom it speaks for", async () => {
    const { server, clock, open, put } = await office();
    const id = "group-build farm-mm8ws3v4";
    await put(madeUpIncident({ id, kind: "group", subject: "build farm", members: ["allegro", "b", "c"] }));
    for (const subject of ["allegro", "b", "c"])
      await put(madeUpIncident({ id: `${subject}-1`, subject, spokenForBy: id }));
    clock.freeze(HOUR);
    await open().run();
    await open().run();
    expect(server.issues.map(({ title }) => title)).toEqual([
      "RCA-AGENT: the agents of build farm fell silent (2026-04-04)",
    ]);
  });

  it("is not filed without a policy", async () => {
    const { server, clock, open, put } = await office({ policy: undefined });
    await put(madeUpIncident());
    clock.freeze(HOUR);
    await open().run();
    expect(server.requests).toEqual([]);
  });
});

describe("a forge that fails", () => {
  it.each(["reset", "hang", "html", { status: 502 }] as const)(
    "makes no second issue when the reply is lost: %j",
    async (how) => {
      const { server, clock, open, put, incident, pending } = await office();
      await put(madeUpIncident());
      clock.freeze(HOUR);
      server.fail({ on: CREATE, how, after: true, times: 1 });
      await expect(open().run()).rejects.toThrow(/./);
      expect(pending.all()).toHaveLength(1);
      expect((await incident())?.issue).toBeUndefined();
      expect(await open().run()).toEqual({ filed: 1, followed: 0 });
      expect(server.issues).toHaveLength(1);
      expect((await incident())?.issue?.number).toBe(1);
      expect(pending.all()).toEqual([]);
    },
  );

  it("is tried less and less often, every run says what is wrong, and nothing is lost", async () => {
    const { server, clock, open, put, recover, words } = await office();
    await put(madeUpIncident());
    server.fail({ on: /./, how: { status: 500 } });
    const desk = open();
    clock.freeze(15 * MINUTE);
    for (let minute = 0; minute < 120; minute += 1) {
      await expect(desk.run()).rejects.toThrow("the forge has an error (500)");
      clock.freeze(MINUTE);
    }
    expect(server.requests.length).toBeLessThan(12);
    // It recovered before anybody could be told: what happened is on record nevertheless.
    await recover();
    server.heal();
    clock.freeze(30 * MINUTE);
    expect(await desk.run()).toEqual({ filed: 1, followed: 1 });
    expect(words()).toEqual(["Recovery"]);
  });

  it("is left alone for as long as it asks", async () => {
    const { server, clock, open, put } = await office();
    await put(madeUpIncident());
    clock.freeze(15 * MINUTE);
    server.fail({ on: CREATE, how: { status: 429, headers: { "retry-after": "600" } }, times: 1 });
    const desk = open();
    await expect(desk.run()).rejects.toThrow("too many requests (429)");
    const asked = server.requests.length;
    clock.freeze(10 * MINUTE - 1);
    await expect(desk.run()).rejects.toThrow("too many requests (429)");
    expect(server.requests).toHaveLength(asked);
    clock.freeze(1);
    expect(await desk.run()).toEqual({ filed: 1, followed: 0 });
  });

  it("that is not configured loses nothing either", async () => {
    const { clock, open, put, pending } = await office({ forge: () => ({ problem: "there is no token" }) });
    expect(await open().run()).toEqual({ filed: 0, followed: 0 });
    await put(madeUpIncident());
    clock.freeze(HOUR);
    await expect(open().run()).rejects.toThrow("there is no token");
    expect(pending.all()).toHaveLength(1);
  });

  it("does not keep the others waiting when one issue is gone", async () => {
    const { server, clock, open, put } = await office();
    await put(madeUpIncident());
    await put(madeUpIncident({ id: "timmy-1", subject: "timmy" }));
    clock.freeze(15 * MINUTE);
    const desk = open();
    await desk.run();
    clock.freeze(HOUR);
    server.fail({ on: /\/issues\/1(\/|$)/, how: { status: 404 } });
    await expect(desk.run()).rejects.toThrow("(404)");
    expect(server.issues[1]?.comments).toHaveLength(1);
  });
});

describe("following up from T+0 to T+8d", () => {
  /** Runs every quarter of an hour, each time with a new desk if it is told to. */
  async function live(at: Awaited<ReturnType<typeof office>>, events: Record<number, () => unknown> = {}) {
    await at.put(madeUpIncident());
    at.clock.freeze(15 * MINUTE);
    let desk = at.open();
    for (let t = 0; t <= 8 * DAY; t += 15 * MINUTE) {
      await events[t]?.();
      desk = t % HOUR === 0 ? at.open() : desk;
      await desk.run().catch(() => {});
      at.clock.freeze(15 * MINUTE);
    }
  }
  const ALL = ["Reminder (T+1h)", "Reminder (T+24h)", "Escalation (T+7d)"];
  const MESSAGES = [`issue:${ID}:T+7d:chat`, `issue:${ID}:T+7d:mail`];

  it("says each thing once, and tells people of the escalation", async () => {
    const at = await office();
    await live(at);
    expect(at.words()).toEqual(ALL);
    expect(await at.told()).toEqual(MESSAGES);
    expect(await at.store.issues.one(ID)).toMatchObject({
      followed: ["T+1h", "T+24h", "T+7d"],
      nextAt: null,
      closed: false,
    });
    expect(at.server.refused).toEqual([]);
  });

  it.each([
    ["the comment's reply", COMMENT, true],
    ["the comment itself", COMMENT, false],
    ["the change's reply", EDIT, true],
    ["the change itself", EDIT, false],
    ["what it reads", /^GET /, false],
  ])("says each thing once when %s is lost every other time", async (_, on, after) => {
    const at = await office({ closeOnRecovery: true });
    const events: Record<number, () => unknown> = {};
    for (let t = HOUR; t <= 8 * DAY; t += HOUR)
      events[t] = () => {
        at.server.heal();
        at.server.fail({ on, how: "reset", after, times: 1 });
      };
    await live(at, { ...events, [7 * DAY + 5 * HOUR + 15 * MINUTE]: at.recover });
    expect(at.words()).toEqual([...ALL, "Recovery"]);
    expect(await at.told()).toEqual(MESSAGES);
    expect(at.server.issues).toMatchObject([{ state: "closed" }]);
    expect(await at.store.issues.one(ID)).toMatchObject({ closed: true, recovered: true });
  });

  it("is quiet where people do their part, and ticks what it sees", async () => {
    const at = await office();
    const issue = () => at.server.issues[0] ?? at.server.addIssue();
    await live(at, {
      [30 * MINUTE]: () => at.server.addComment(issue(), "looking into it"),
      [20 * HOUR]: () => {
        const boxes = boxesIn(issue().body).filter(({ text }) => text.startsWith("Root cause"));
        issue().body = withTicks(issue().body, boxes);
      },
      [2 * DAY]: at.recover,
    });
    expect(at.words()).toEqual(["looking into it", "Recovery"]);
    expect(await at.told()).toEqual([]);
    const ticked = boxesIn(issue().body).filter((box) => box.ticked);
    expect(ticked.map(({ text }) => text.replaceAll("*", "").slice(0, 13))).toEqual([
      expect.stringContaining("T+0"),
      expect.stringContaining("T+1h"),
      expect.stringContaining("T+24h"),
      expect.stringContaining("T+7d"),
      "Root cause id",
      "Agent healthy",
    ]);
    expect(issue().state).toBe("open");
    expect(await at.store.issues.one(ID)).toMatchObject({ closed: true });
  });

  it("says nothing of an issue that somebody closed, nor of one that was ended by hand", async () => {
    const closed = await office();
    await live(closed, {
      [30 * MINUTE]: () => {
        for (const issue of closed.server.issues) issue.state = "closed";
      },
    });
    expect(closed.words()).toEqual([]);
    const byHand = await office();
    await live(byHand, {
      [30 * MINUTE]: async () => {
        const now = (await byHand.incident()) ?? madeUpIncident();
        await byHand.put({ ...now, resolved: { at: byHand.clock.wall(), how: "by-hand", why: "x" } });
      },
    });
    expect(byHand.words()).toEqual(ALL);
    expect(await byHand.store.issues.one(ID)).toMatchObject({ closed: true, recovered: false });
  });

  it("never writes to an issue without its marker, such as one of another repository", async () => {
    const at = await office();
    await live(at, {
      [30 * MINUTE]: () => {
        for (const issue of at.server.issues) issue.body = "somebody else's issue\n- [ ] Agent healthy again";
      },
      [DAY]: at.recover,
    });
    expect(at.server.count(COMMENT) + at.server.count(EDIT)).toBe(0);
    expect(await at.store.issues.one(ID)).toMatchObject({ closed: true });
  });

  it("queues no message again that was sent when only the comment failed", async () => {
    const at = await office();
    await at.put(madeUpIncident());
    at.clock.freeze(15 * MINUTE);
    await at.open().run();
    at.clock.freeze(7 * DAY);
    at.server.fail({ on: COMMENT, how: "reset", times: 1 });
    await expect(at.open().run()).rejects.toThrow("the connection failed");
    for (const each of await at.store.deliveries.page({ limit: 10, state: "under-way" }))
      await at.watcher.persist({ deliveries: [{ ...each, state: "sent" }] });
    await at.open().run();
    expect(at.words()).toEqual(["Escalation (T+7d)"]);
    const states = (await at.store.deliveries.page({ limit: 10 })).map(({ state }) => state);
    expect(states).toEqual(["sent", "sent"]);
  });

  it("closes for good only what does not come back at once", async () => {
    const at = await office({ closeOnRecovery: true });
    const states: string[] = [];
    const note = () => states.push(at.server.issues[0]?.state ?? "none");
    await live(at, {
      [HOUR]: at.recover,
      [HOUR + 15 * MINUTE]: note,
      [HOUR + 30 * MINUTE]: note,
    });
    expect(states).toEqual(["open", "closed"]);
    expect(at.words().at(-1)).toBe("Recovery");
  });
});

describe("what a command filed", () => {
  const marker = "<!-- rollcall:timmy:2026-04:MISSING_TICK -->";
  const filed = {
    marker,
    number: 1,
    url: "http://x/1",
    forge: "gitea org/fleet",
    at: T0,
    ticks: "/srv/ticks",
  };

  it("D5: is followed up at T+1h, T+24h and T+7d like the daemon's own, counted from when it was filed", async () => {
    const folders: (string | undefined)[] = [];
    const at = await office({ healthyTick: (_agent, _month, _now, ticks) => void folders.push(ticks) });
    at.server.addIssue({ body: `${marker}\n\n- [ ] T+1h: first response` });
    at.handedOver.put(filed);
    at.clock.freeze(HOUR);
    // A command that finds the issue again does not begin anew.
    at.handedOver.put({ ...filed, at: T0 + HOUR });
    expect(await at.open().run()).toEqual({ filed: 0, followed: 1 });
    expect(at.handedOver.all()).toEqual([]);
    expect(folders).toEqual(["/srv/ticks"]);
    for (const length of [23 * HOUR, 6 * DAY]) {
      at.clock.freeze(length);
      at.handedOver.put(filed);
      await at.open().run();
    }
    expect(at.words()).toEqual(["Reminder (T+1h)", "Reminder (T+24h)", "Escalation (T+7d)"]);
    expect(await at.store.issues.one("timmy:2026-04:MISSING_TICK")).toMatchObject({
      number: 1,
      createdAt: T0,
    });
  });

  it("is told of only the last point that passed while no daemon ran", async () => {
    const at = await office();
    at.server.addIssue({ body: marker });
    at.handedOver.put(filed);
    at.clock.freeze(2 * DAY);
    await at.open().run();
    expect(at.words()).toEqual(["Reminder (T+24h)"]);
  });

  it("that is already known stays as it is", async () => {
    const at = await office();
    at.server.addIssue({ body: marker });
    const desk = at.open();
    await desk.note({ marker }, filed, "gitea", T0);
    at.handedOver.put({ ...filed, number: 7 });
    await desk.run();
    expect(await at.store.issues.one("timmy:2026-04:MISSING_TICK")).toMatchObject({ number: 1 });
    expect(at.handedOver.all()).toEqual([]);
  });
});

describe("what a tick check could not file", () => {
  const failed = tickSubject({ agent: "timmy", result: "missing" }, { month: "2026-04", now: T0, file: "f" });
  if (failed === undefined) throw new Error("no failure");

  it("is filed again, followed up, and told to be well when its tick is healthy", async () => {
    let healthy = false;
    const at = await office({
      healthyTick: (agent, month, now) =>
        healthy && agent === "timmy" && month === "2026-04" ? { at: now, saw: "healthy" } : undefined,
    });
    at.pending.keep(draftOf(failed));
    const desk = at.open();
    expect(await desk.run()).toEqual({ filed: 1, followed: 0 });
    expect(at.pending.all()).toEqual([]);
    expect(await at.store.issues.one(failed.key)).toMatchObject({
      agent: "timmy",
      month: "2026-04",
    });
    at.clock.freeze(HOUR);
    await desk.run();
    healthy = true;
    await desk.run();
    await at.open().run();
    expect(at.words()).toEqual(["Reminder (T+1h)", "Recovery"]);
  });

  it("is not waited for for ever", async () => {
    const at = await office();
    at.pending.keep(draftOf(failed));
    await at.open().run();
    at.clock.freeze(8 * DAY);
    await at.open().run();
    expect((await at.store.issues.one(failed.key))?.closed).toBe(false);
    at.clock.freeze(24 * DAY);
    await at.open().run();
    expect((await at.store.issues.one(failed.key))?.closed).toBe(true);
    expect(at.words()).toEqual(["Escalation (T+7d)"]);
  });
});
