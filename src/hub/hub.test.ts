import { describe, expect, it } from "vitest";
import type { Beat } from "../core/beat.ts";
import { HOUR, MINUTE, SECOND } from "../core/duration.ts";
import type { HostBatch } from "../core/host/batch.ts";
import { fleet, HostWorld, HubWorld } from "./fleet.fixture.ts";

describe("an agent on a host", () => {
  it("is on the hub under the name of both, as its host judges it", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot", { action: "sync inbox" });
    await hub.clock.run(MINUTE);
    expect(hub.state("bot@web1")).toBe("alive beat");
    await host.beat("bot", { status: "error", message: "disk full" });
    await hub.clock.run(5 * SECOND);
    expect(hub.state("bot@web1")).toBe("failing says-error");
    await hub.clock.run(MINUTE);
    expect(await hub.told()).toStrictEqual(["bot on web1 is failing"]);
    expect(await host.store.deliveries.page({ limit: 9 })).toStrictEqual([]);
    await host.beat("bot");
    await hub.clock.run(MINUTE);
    expect(await hub.told()).toStrictEqual(["bot on web1 is failing", "bot on web1: resolved (recovered)"]);
    expect(await hub.flips("bot@web1")).toStrictEqual(["new>alive", "alive>failing", "failing>alive"]);
  });

  it("cannot be reported by anybody else", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot");
    await hub.clock.run(MINUTE);
    const at = hub.clock.wall();
    const beat: Beat = {
      id: "x",
      agent: "bot@web1",
      source: "agent",
      status: "ok",
      sentAt: at,
      receivedAt: at,
    };
    for (const agent of ["bot@web1", "rollcall@web1"])
      await expect(hub.watcher.accept([{ ...beat, agent }])).rejects.toMatchObject({ code: "agent-of-host" });
  });

  it("leaves the hub's roll with the host's", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot");
    await hub.clock.run(MINUTE);
    await host.watcher.remove("bot");
    await hub.clock.run(MINUTE);
    expect(hub.state("bot@web1")).toBeUndefined();
  });

  it("has a step that the hub may ask for only if its host says so", async () => {
    const { hub, host } = await fleet();
    const canStep = () =>
      hub.watcher.reader
        .place("bot@web1")
        ?.entry.observations.some((fact) => fact.kind === "verdict" && fact.canStep === true);
    await host.beat("bot");
    await hub.clock.run(MINUTE);
    expect(canStep()).toBe(false);
    host.allow = ["pause", "step"];
    await host.beat("bot", { status: "error" });
    await hub.clock.run(MINUTE);
    expect(canStep()).toBe(true);
  });

  it("is removed and declared by its host only, and so is the agent that stands for the host", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot");
    await hub.clock.run(MINUTE);
    for (const id of ["bot@web1", "rollcall@web1"]) {
      const refused = { code: "agent-of-host", message: expect.stringContaining("host web1") };
      await expect(hub.watcher.remove(id)).rejects.toMatchObject(refused);
      const added = { id, origin: "added", addedAt: hub.clock.wall() } as const;
      await expect(hub.watcher.add(added)).rejects.toMatchObject(refused);
    }
    host.cut = true;
    await hub.clock.run(2 * MINUTE);
    expect(await hub.told()).toStrictEqual(["host web1 is out of contact"]);
    await hub.hub.revoke("web1");
    expect([hub.state("bot@web1"), hub.state("rollcall@web1")]).toStrictEqual([undefined, undefined]);
  });
});

describe("a host that is renamed", () => {
  it("ends its incidents as renamed, under both the host's name and its agents'", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot", { status: "error" });
    await hub.clock.run(MINUTE);
    host.cut = true;
    await hub.clock.run(3 * MINUTE);
    const before = await hub.told();
    expect(before).toStrictEqual(["bot on web1 is failing", "host web1 is out of contact"]);
    await hub.hub.revoke("web1", "web-eu");
    await hub.clock.run(MINUTE);
    const after = (await hub.told()).slice(before.length);
    expect([...after].sort()).toStrictEqual([
      "bot on web1: resolved (renamed)",
      "host web1: resolved (renamed)",
    ]);
    expect(hub.state("bot@web1")).toBeUndefined();
  });
});

describe("a host that is out of contact", () => {
  it("makes nobody dead: its agents are unknown, what was dead stays dead, and one message names the host", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot");
    await host.beat("crashed", { cycle: 1, cycleEvent: "ended", outcome: "crashed" });
    await hub.clock.run(2 * MINUTE);
    expect(hub.state("crashed@web1")).toBe("dead exited");
    host.cut = true;
    await hub.clock.run(10 * MINUTE);
    expect(hub.state("bot@web1")).toBe("unknown host-out-of-contact");
    expect(hub.state("crashed@web1")).toBe("dead exited");
    expect(hub.state("rollcall@web1")).toBe("unknown host-out-of-contact");
    expect(await hub.told()).toStrictEqual(["crashed on web1 is dead", "host web1 is out of contact"]);
    const [lost] = await hub.store.deliveries.page({ limit: 1 });
    expect(lost?.message.lines[0]).toContain("; 2 agents run there");
    host.cut = false;
    await hub.clock.run(2 * MINUTE);
    expect(hub.state("bot@web1")).toBe("alive beat");
    expect((await hub.told()).slice(2)).toStrictEqual(["host web1 is back"]);
  });

  it("is back for its dead agents too, although the hub is killed as soon as it has heard the host", async () => {
    const { hub, host } = await fleet();
    await host.beat("crashed", { cycle: 1, cycleEvent: "ended", outcome: "crashed" });
    await hub.clock.run(2 * MINUTE);
    host.cut = true;
    await hub.clock.run(10 * MINUTE);
    expect(hub.state("rollcall@web1")).toBe("unknown host-out-of-contact");
    host.cut = false;
    while (hub.state("rollcall@web1") !== "alive beat") await hub.clock.run(100);
    hub.kill();
    await hub.up();
    await host.beat("crashed", { cycle: 2, cycleEvent: "begun" });
    await hub.clock.run(MINUTE);
    expect(hub.state("crashed@web1")).toBe("alive beat");
  });

  it("is not told of if it is a laptop", async () => {
    const { hub, host } = await fleet("laptop");
    await host.beat("bot");
    await hub.clock.run(2 * MINUTE);
    host.cut = true;
    await hub.clock.run(10 * MINUTE);
    expect(hub.state("bot@web1")).toBe("unknown host-out-of-contact");
    expect(await hub.told()).toStrictEqual([]);
  });

  it("is one message if many are, and that suspects the hub's own network", async () => {
    const hub = new HubWorld();
    await hub.up();
    const hosts = ["a", "b", "c", "d"].map((name) => new HostWorld(hub, name));
    for (const host of hosts) {
      await hub.join(host.name);
      await host.up();
    }
    await hub.clock.run(2 * MINUTE);
    for (const host of hosts) host.cut = true;
    await hub.clock.run(5 * MINUTE);
    expect(await hub.told()).toStrictEqual(["group hosts: 4 agents fell silent at once"]);
    const [delivery] = await hub.store.deliveries.page({ limit: 1 });
    expect(delivery?.message.lines[0]).toContain("check this hub's own network first");
  });

  it("tells everything afterwards, once: what began and ended meanwhile as past", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot");
    await host.beat("other");
    await hub.clock.run(2 * MINUTE);
    host.cut = true;
    await hub.clock.run(2 * MINUTE);
    await host.beat("bot", { status: "error" });
    await hub.clock.run(MINUTE);
    await host.beat("bot");
    await host.beat("other", { status: "error" });
    host.kill();
    hub.kill();
    await hub.clock.run(5 * MINUTE);
    await hub.up();
    await host.up();
    await hub.clock.run(5 * MINUTE);
    host.cut = false;
    await hub.clock.run(3 * MINUTE);
    expect((await hub.flips("bot@web1")).filter((flip) => flip.includes("failing"))).toHaveLength(2);
    expect(hub.state("other@web1")).toBe("failing says-error");
    const told = await hub.told();
    expect(told.filter((title) => title.includes("bot on web1"))).toStrictEqual([
      "bot on web1 was failing while its host was out of contact",
    ]);
    expect(told.filter((title) => title.includes("other on web1"))).toStrictEqual([
      "other on web1 is failing",
    ]);
  });
});

describe("what a host tells", () => {
  it("begins with the trouble that there is when it joins", async () => {
    const hub = new HubWorld();
    await hub.up();
    const host = new HostWorld(hub, "web1");
    host.send = async () => ({ refused: "not joined yet" });
    await host.up();
    await host.beat("bot", { status: "error" });
    await hub.clock.run(MINUTE);
    await host.store.outgoing.renew("");
    host.kill();
    host.send = (batch) => hub.take(batch);
    await hub.join("web1");
    await host.up();
    await hub.clock.run(MINUTE);
    expect(await hub.told()).toStrictEqual(["bot on web1 is failing"]);
  });

  it("is told once, also if the host tells of an end again", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot", { status: "error" });
    await hub.clock.run(MINUTE);
    await host.beat("bot");
    await hub.clock.run(5 * MINUTE);
    host.kill();
    await host.up();
    await hub.clock.run(5 * MINUTE);
    expect(await hub.told()).toStrictEqual(["bot on web1 is failing", "bot on web1: resolved (recovered)"]);
  });

  it("is told as past if it ended a moment before its host was back, and each of two", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot");
    await hub.clock.run(2 * MINUTE);
    host.cut = true;
    for (const _ of [1, 2]) {
      await hub.clock.run(12 * MINUTE);
      await host.beat("bot", { status: "error" });
      await hub.clock.run(5 * MINUTE);
      await host.beat("bot");
    }
    host.cut = false;
    await hub.clock.run(MINUTE);
    const told = (await hub.told()).filter((title) => title.includes("bot on web1"));
    expect(told).toStrictEqual(Array(2).fill("bot on web1 was failing while its host was out of contact"));
  });

  it("is told if it lasted, although it ended within the hold after its host was back", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot");
    await hub.clock.run(2 * MINUTE);
    host.cut = true;
    await hub.clock.run(30 * MINUTE);
    host.cut = false;
    for (let n = 0; n < 40 && hub.state("bot@web1") !== "dead no-beat"; n++) await hub.clock.run(SECOND);
    expect(hub.state("bot@web1")).toBe("dead no-beat");
    expect(await hub.told()).not.toContain("bot on web1 is dead");
    await host.beat("bot");
    await hub.clock.run(MINUTE);
    const told = (await hub.told()).filter((title) => title.includes("bot on web1"));
    expect(told).toStrictEqual(["bot on web1 was dead while its host was out of contact"]);
  });

  it("keeps what was told of an agent that was removed and is there again", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot");
    await hub.clock.run(2 * MINUTE);
    host.cut = true;
    await host.beat("bot", { status: "error" });
    await hub.clock.run(MINUTE);
    await host.watcher.remove("bot");
    await host.beat("bot", { status: "error" });
    await hub.clock.run(MINUTE);
    host.cut = false;
    await hub.clock.run(MINUTE);
    const failures = (await hub.flips("bot@web1")).filter((flip) => flip.endsWith(">failing"));
    expect(failures).toHaveLength(2);
    const open = await hub.store.incidents.page({ limit: 9, state: "open", subject: "bot@web1" });
    expect(open).toHaveLength(1);
  });

  it("is dated as its host dates it, also what happened while the hub was down or its disk hung", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot");
    await hub.clock.run(2 * MINUTE);
    hub.kill();
    await hub.clock.run(MINUTE);
    await host.beat("bot", { status: "error" });
    const failed = hub.clock.wall();
    await hub.clock.run(10 * MINUTE);
    await hub.up();
    await hub.clock.run(2 * MINUTE);
    expect((await hub.store.flips("bot@web1", { limit: 1 }))[0]).toMatchObject({ to: "failing", at: failed });
    let well = () => {};
    hub.disk = new Promise((done) => {
      well = done;
    });
    await hub.clock.run(40 * SECOND);
    await host.beat("bot");
    const back = hub.clock.wall();
    await hub.clock.run(15 * SECOND);
    host.cut = true;
    await hub.clock.run(5 * MINUTE);
    well();
    host.cut = false;
    await hub.clock.run(3 * MINUTE);
    expect((await hub.store.flips("bot@web1", { limit: 1 }))[0]).toMatchObject({ to: "alive", at: back });
  });
});

describe("a hub that could not hear", () => {
  it("tells of a host that was lost while it was down", async () => {
    const { hub, host } = await fleet();
    await hub.clock.run(2 * MINUTE);
    hub.kill();
    host.kill();
    await hub.clock.run(10 * MINUTE);
    await hub.up();
    await hub.clock.run(5 * MINUTE);
    expect(hub.state("rollcall@web1")).toBe("unknown host-out-of-contact");
    expect(await hub.told()).toStrictEqual(["host web1 is out of contact"]);
  });

  it("believes its hosts when its own clock is set back, and still loses them", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot");
    await hub.clock.run(2 * MINUTE);
    hub.skew = -2 * HOUR;
    await hub.clock.run(20 * SECOND);
    await host.beat("bot", { status: "error" });
    await hub.clock.run(MINUTE);
    expect(hub.state("bot@web1")).toBe("failing says-error");
    hub.kill();
    host.kill();
    hub.skew = -5 * HOUR;
    await hub.up();
    await hub.clock.run(5 * MINUTE);
    expect(hub.state("rollcall@web1")).toBe("unknown host-out-of-contact");
  });

  it("hears a host again, and only then, when its own clock was set back meanwhile", async () => {
    const { hub, host } = await fleet();
    await hub.clock.run(2 * MINUTE);
    host.cut = true;
    await hub.clock.run(5 * MINUTE);
    hub.skew = -10 * MINUTE;
    await hub.clock.run(4 * MINUTE);
    host.cut = false;
    await hub.clock.run(40 * SECOND);
    expect(hub.state("rollcall@web1")).toBe("alive beat");
    host.kill();
    await hub.clock.run(5 * MINUTE);
    hub.skew = -30 * MINUTE;
    await hub.clock.run(40 * MINUTE);
    const flips = await hub.flips("rollcall@web1");
    expect(flips.at(-1)).toBe("late>unknown");
    expect(flips.filter((flip) => flip === "unknown>late")).toStrictEqual([]);
  });

  it("takes a host that rebooted, although a batch of before came late", async () => {
    const { hub, host } = await fleet();
    await hub.clock.run(MINUTE);
    const late: HostBatch[] = [];
    host.send = async (batch) => {
      late.push(batch);
      return { failed: "ETIMEDOUT" };
    };
    await hub.clock.run(20 * SECOND);
    host.kill();
    host.boot = "second";
    host.send = (batch) =>
      hub.take({ ...batch, clock: { ...batch.clock, uptime: hub.clock.uptime() - 150_000 } });
    await hub.clock.run(20 * SECOND);
    await hub.take(late[0] as HostBatch);
    await host.up();
    await hub.clock.run(5 * MINUTE);
    expect(host.link.state).toMatchObject({ hub: "in contact" });
  });
});

describe("an ephemeral host", () => {
  const ttl = 10 * MINUTE;

  async function ephemeral(): Promise<{ hub: HubWorld; host: HostWorld }> {
    const hub = new HubWorld();
    await hub.up();
    await hub.clock.run(HOUR);
    await hub.join("ci1", "ephemeral", ttl);
    return { hub, host: new HostWorld(hub, "ci1") };
  }

  it("has its whole time after it joined", async () => {
    const { hub } = await ephemeral();
    expect(await hub.hub.sweep()).toStrictEqual([]);
    await hub.clock.run(ttl);
    expect(await hub.hub.sweep()).toStrictEqual(["t-ci1"]);
  });

  it("leaves with its agents when it has been out of contact for so long", async () => {
    const { hub, host } = await ephemeral();
    await host.up();
    await host.beat("job");
    await hub.clock.run(2 * MINUTE);
    host.kill();
    await hub.clock.run(ttl);
    expect(hub.state("job@ci1")).toBe("unknown host-out-of-contact");
    expect(await hub.hub.sweep()).toStrictEqual(["t-ci1"]);
    expect(hub.state("job@ci1")).toBeUndefined();
  });

  it("leaves at once when it says goodbye", async () => {
    const { hub, host } = await ephemeral();
    await host.up();
    await host.beat("job");
    await hub.clock.run(MINUTE);
    expect(await hub.hub.sweep()).toStrictEqual([]);
    await host.link.stop(true);
    expect(await hub.hub.sweep()).toStrictEqual(["t-ci1"]);
    expect(hub.state("job@ci1")).toBeUndefined();
    expect(await hub.told()).toStrictEqual([]);
  });

  it("stays if a batch of it is under way", async () => {
    const { hub, host } = await ephemeral();
    await host.up();
    await host.beat("job");
    await hub.clock.run(2 * MINUTE);
    host.cut = true;
    await hub.clock.run(ttl);
    host.cut = false;
    let well = () => {};
    hub.disk = new Promise((done) => {
      well = done;
    });
    await host.beat("job", { status: "error" });
    await hub.clock.run(MINUTE);
    const swept = hub.hub.sweep();
    well();
    await hub.clock.run(MINUTE);
    expect(await swept).toStrictEqual([]);
    expect(hub.state("job@ci1")).toBe("failing says-error");
  });
});

describe("the wire", () => {
  it("may lose answers, repeat and reorder: each fact counts once", async () => {
    const { hub, host } = await fleet();
    const seen: HostBatch[] = [];
    let n = 0;
    host.send = async (batch) => {
      seen.push(batch);
      n += 1;
      const old = seen[Math.max(0, seen.length - 3)];
      if (n % 3 === 0 && old !== undefined) await hub.take(old);
      const reply = await hub.take(batch);
      if (n % 2 === 0) await hub.take(batch);
      return n % 4 === 0 ? { failed: "ECONNRESET" } : reply;
    };
    await host.beat("bot");
    for (let round = 0; round < 12; round++) {
      await host.beat("bot", { status: round % 2 === 0 ? "error" : "ok" });
      await hub.clock.run(20 * SECOND);
    }
    host.send = (batch) => hub.take(batch);
    await hub.clock.run(2 * MINUTE);
    const there = (await hub.store.flips("bot@web1", { limit: 99 })).filter(
      ({ to, from }) => from !== "new" || to !== "alive",
    );
    const here = (await host.store.flips("bot", { limit: 99 })).filter(
      ({ to, from }) => from !== "new" || to !== "alive",
    );
    expect(there.map(({ to, at }) => [to, at])).toStrictEqual(here.map(({ to, at }) => [to, at]));
    expect(hub.hub.one("web1")?.acked).toBe((await host.store.outgoing.spool()).last);
  });

  it("begins anew with a host whose store was wiped", async () => {
    const { hub, host } = await fleet();
    await host.beat("bot");
    await hub.clock.run(2 * MINUTE);
    host.kill();
    const again = new HostWorld(hub, "web1");
    await again.up();
    await again.beat("new");
    await hub.clock.run(3 * MINUTE);
    expect(hub.state("bot@web1")).toBeUndefined();
    expect(hub.state("new@web1")).toBe("alive beat");
  });

  it("refuses another machine under the same name while the first is there", async () => {
    const { hub, host } = await fleet();
    await hub.clock.run(MINUTE);
    const copy = new HostWorld(hub, "web1");
    copy.send = (batch) => hub.take({ ...batch, boot: "another" });
    await copy.up();
    await hub.clock.run(MINUTE);
    expect(copy.link.state).toMatchObject({ hub: "refused" });
    expect(copy.link.state.problem).toContain("another machine reports as host");
    expect(host.link.state).toMatchObject({ hub: "in contact" });
  });

  it("refuses a copy of a host in another container of the same machine, and goes on with the first", async () => {
    const { hub, host } = await fleet();
    await hub.clock.run(MINUTE);
    const copy = new HostWorld(hub, "web1");
    await copy.up();
    await hub.clock.run(MINUTE);
    expect(copy.link.state).toMatchObject({ hub: "refused" });
    expect(copy.link.state.problem).toContain("another machine reports as host");
    expect(host.link.state).toMatchObject({ hub: "in contact" });
  });

  it("takes a host that was restarted at once", async () => {
    const { hub, host } = await fleet();
    await hub.clock.run(MINUTE);
    host.kill();
    await host.up();
    await hub.clock.run(10 * SECOND);
    expect(host.link.state).toMatchObject({ hub: "in contact" });
  });

  it.each([-6 * HOUR, 6 * HOUR])("shifts the times of a host whose clock is %d ms wrong", async (skew) => {
    const hub = new HubWorld();
    await hub.up();
    await hub.join("web1");
    const host = new HostWorld(hub, "web1");
    host.skew = skew;
    await host.up();
    await host.beat("bot");
    await hub.clock.run(2 * MINUTE);
    await host.beat("bot", { status: "error" });
    await hub.clock.run(2 * MINUTE);
    const [flip] = await hub.store.flips("bot@web1", { limit: 1 });
    expect(Math.abs((flip?.at ?? 0) - (hub.clock.wall() - 2 * MINUTE))).toBeLessThan(SECOND);
    expect(await hub.told()).toStrictEqual(["bot on web1 is failing"]);
    expect(Math.abs(hub.hub.one("web1")?.offset?.used ?? 0)).toBe(6 * HOUR);
  });
});

describe("a command to a host", () => {
  it("is done once, and its end is on record on both sides", async () => {
    const { hub, host } = await fleet();
    await hub.clock.run(MINUTE);
    const asked = hub.hub.ask("web1", "pause", "bot", "ada");
    await hub.clock.run(40 * SECOND);
    expect(await asked).toMatchObject({ end: "done", says: "done" });
    expect(host.done).toStrictEqual(["pause bot"]);
    for (const store of [hub.store, host.store]) {
      const [record] = await store.records.page("command", { limit: 9 });
      expect(record?.body).toMatchObject({
        name: "pause",
        target: "bot",
        by: "ada",
        result: { end: "done" },
      });
    }
  });

  it("is reported although it ended while a batch was on its way", async () => {
    const { hub, host } = await fleet();
    await hub.clock.run(MINUTE);
    host.send = async (batch) => {
      const reply = await hub.take(batch);
      // The answer brings the command, and the next batch is away while it is done.
      await new Promise<void>((done) => hub.clock.after(5 * SECOND, done));
      return reply;
    };
    const asked = hub.hub.ask("web1", "pause", "bot", "ada");
    await hub.clock.run(55 * SECOND);
    expect(await asked).toMatchObject({ end: "done" });
  });

  it("is refused where the host's config does not allow it", async () => {
    const { hub, host } = await fleet();
    await hub.clock.run(MINUTE);
    const asked = hub.hub.ask("web1", "step", "bot", "ada");
    await hub.clock.run(40 * SECOND);
    expect(await asked).toMatchObject({ end: "refused" });
    expect(host.done).toStrictEqual([]);
  });

  it("expires at a host that is away, and is not done when it comes back", async () => {
    const { hub, host } = await fleet();
    await hub.clock.run(MINUTE);
    host.cut = true;
    const asked = hub.hub.ask("web1", "pause", "bot", "ada");
    // Before anybody knows that the host is lost.
    await hub.clock.run(35 * SECOND);
    expect(hub.state("rollcall@web1")).toBe("late overdue");
    expect(await asked).toMatchObject({ end: "expired" });
    host.cut = false;
    await hub.clock.run(5 * MINUTE);
    expect(host.done).toStrictEqual([]);
  });
});
