import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../test/virtual-clock.ts";
import type { Agent } from "../core/agent.ts";
import type { Incarnation } from "../core/beat.ts";
import type { Message } from "../core/delivery/message.ts";
import { HOUR, MINUTE, SECOND } from "../core/duration.ts";
import { defaultPolicy, type Policy } from "../core/incident/policy.ts";
import type { Observation, ScreenRead } from "../core/liveness/observation.ts";
import type { Ladder } from "../core/recovery/ladder.ts";
import { ESCALATE, NUDGE, RELEASE, RESTART } from "../core/recovery/recovery.fixture.ts";
import type { Clock } from "../ports/clock.ts";
import type { Acted, Target } from "../ports/recovery.ts";
import type { Changes, Store } from "../ports/store.ts";
import { memoryStore } from "../store/memory/memory.ts";
import { Courier } from "./courier.ts";
import { Recoverers } from "./recover.ts";
import { Watcher } from "./watcher.ts";

const START = Date.parse("2026-03-02T08:00:00Z");
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const AGENT: Agent = { id: "allegro", origin: "config", addedAt: START, signals: { tmux: {} } };
const DONE: Acted = { outcome: "done", note: "started" };

const NAMED: Partial<Policy> = {
  page: "https://roll.example",
  nameOf: () => "Allegro the bot",
  stepFor: (_, state) => (state === "dead" ? "restart" : undefined),
};

const life = (pid: number): Incarnation => ({ pid, startTime: String(pid), bootId: "boot" });

/** A watcher with its recoverers and its courier, an agent that can be killed and started, and a far side. */
class World {
  readonly clock = new VirtualClock(START);
  readonly store: Store = memoryStore();
  readonly heard: string[] = [];
  readonly lines: string[] = [];
  /** By place. */
  readonly sent: { readonly to: string; readonly message: Message }[] = [];
  readonly acts: { readonly do: string; readonly target: Target; readonly at: number }[] = [];
  ladder: Ladder;
  readonly telling: Policy;
  /** What the far end of a step does. */
  act: (target: Target, kind: string) => Acted | Promise<Acted> = () => DONE;
  /** What is found when somebody looks. */
  facts: () => readonly Observation[] = () => [];
  pid = 100;
  watcher!: Watcher;
  recoverers!: Recoverers;
  /** The process is gone: nothing of it happens any more. */
  kill: () => void = () => {};

  constructor(ladder: Ladder, telling: Partial<Policy> = {}) {
    this.ladder = ladder;
    this.telling = { ...defaultPolicy(["ops"]), ...telling };
  }

  async up(): Promise<this> {
    const { store } = this;
    let gone = false;
    this.kill = () => {
      gone = true;
    };
    const clock: Clock = {
      wall: this.clock.wall,
      monotonic: this.clock.monotonic,
      uptime: this.clock.uptime,
      soon: (call) => this.clock.soon(() => (gone ? undefined : call())),
      after: (delay, call) => this.clock.after(delay, () => (gone ? undefined : call())),
    };
    const policy = {
      autoRegister: true,
      defaultRule: { every: 15 * MINUTE, grace: 5 * MINUTE },
      agents: [AGENT],
      telling: this.telling,
    };
    const watcher = await Watcher.load({ store, clock, log: SILENT, bootId: "boot" }, policy);
    this.watcher = watcher;
    const snapshot = await store.load();
    const channel = (to: string) => ({
      kind: "fake",
      send: async ({ message }: { message: Message }) => {
        this.sent.push({ to, message });
        this.heard.push(message.title);
        this.lines.push(...message.lines);
        return { outcome: "sent" } as const;
      },
    });
    const courier = new Courier(
      {
        ...{ clock, log: SILENT, channel },
        restated: (delivery) => watcher.restated(delivery),
        persist: (deliveries) => watcher.persist({ deliveries }),
      },
      snapshot.deliveries,
    );
    this.recoverers = new Recoverers(
      {
        clock,
        log: SILENT,
        persist: (parts) => watcher.persist(parts),
        command: (command) => watcher.command(command),
        incidents: () => watcher.desk.incidents,
        place: (id) => watcher.reader.place(id),
        verdict: (place) => watcher.reader.verdict(place),
        lookAgain: () => this.look(),
        ladder: () => this.ladder,
        telling: () => watcher.telling,
        open: (step) => ({
          act: async (target) => {
            this.acts.push({ do: step.do, target, at: this.clock.wall() });
            return this.act(target, step.do);
          },
        }),
      },
      snapshot,
    );
    watcher.onCommitted((changes) => {
      courier.note(changes.deliveries ?? []);
      this.recoverers.note(changes);
    });
    watcher.watch();
    courier.start();
    await this.recoverers.start();
    await this.clock.run(0);
    return this;
  }

  async look(): Promise<void> {
    await this.watcher.notice([{ agent: "allegro", facts: this.facts(), memories: {} }]);
  }

  present(): Observation {
    return { kind: "present", signal: "tmux", at: this.clock.wall(), incarnation: life(this.pid) };
  }

  reading(reading: ScreenRead["reading"], more: Partial<ScreenRead> = {}): Observation {
    const now = this.clock.wall();
    const since = { at: now - HOUR, seenAt: now, progressAt: now - HOUR };
    return { kind: "reading", signal: "tmux", reading, context: "model", ...since, ...more };
  }

  /** The agent's process is there, and shows this. */
  async lives(reading: ScreenRead["reading"] = "working", more: Partial<ScreenRead> = {}): Promise<void> {
    const progressAt = reading === "working" ? this.clock.wall() : START - HOUR;
    this.facts = () => [this.present(), this.reading(reading, { progressAt, ...more })];
    await this.look();
  }

  /** Its process is gone. */
  async dies(): Promise<void> {
    const [at, incarnation] = [this.clock.wall(), life(this.pid)];
    this.facts = () => [
      {
        kind: "gone",
        signal: "tmux",
        at,
        seenAt: this.clock.wall(),
        clean: false,
        exit: "exit 1",
        incarnation,
      },
    ];
    await this.look();
  }

  /** A new life, as a restart that works brings it. */
  async starts(): Promise<void> {
    this.pid += 1;
    await this.lives();
  }

  /** What one place was sent. */
  to(place: string): Message[] {
    return this.sent.flatMap(({ to, message }) => (to === place ? [message] : []));
  }

  async records(): Promise<string[]> {
    const taken = await this.store.recoveries.page({ agent: "allegro", limit: 99 });
    return taken.map((each) => `${each.do} ${each.state}`).reverse();
  }

  async reasons(): Promise<string[]> {
    const taken = await this.store.recoveries.page({ agent: "allegro", limit: 99 });
    return taken.map(({ why }) => why).reverse();
  }

  /** Time passes while the agent goes on working. */
  async works(length: number): Promise<void> {
    for (let left = length; left > 0; left -= MINUTE) {
      await this.lives();
      await this.clock.run(Math.min(left, MINUTE));
    }
  }
}

describe("an agent of which somebody without a token says that it is in trouble", () => {
  const kills: Ladder = [{ ...RESTART, kill: true, when: { states: ["failing", "dead", "stalled"] } }];
  const lie = (world: World, more: object) => {
    const at = world.clock.wall();
    const beat = { id: `lie-${at}`, agent: "allegro", source: "agent", status: "error" } as const;
    return world.watcher.accept([{ ...beat, sentAt: at, receivedAt: at, unproven: true, ...more }]);
  };

  it.each([
    ["an error", {}, "failing"],
    ["a crash", { cycle: 7, cycleEvent: "ended", outcome: "crashed" }, "dead"],
  ])("is not killed for %s while it visibly works, and that is said", async (_, more, state) => {
    const world = await new World(kills).up();
    await world.works(MINUTE);
    await lie(world, more);
    expect(world.watcher.reader.place("allegro")?.entry.standing.verdict.state).toBe(state);
    await world.works(10 * MINUTE);
    expect(world.acts).toEqual([]);
    expect(await world.records()).toEqual([]);
    expect(world.recoverers.nextStep("allegro")).toMatchObject({
      step: undefined,
      why: expect.stringMatching(/only beats without a token.*without those it is alive \(/),
    });
    expect([...world.heard, ...world.lines].join("\n")).toContain("without a token");
  });

  it("is killed for the same word with a token", async () => {
    const world = await new World(kills).up();
    await world.works(MINUTE);
    await lie(world, { unproven: undefined });
    await world.works(MINUTE);
    expect(world.acts.length).toBeGreaterThan(0);
  });

  it("is restarted once something else tells of trouble as well, within half a minute", async () => {
    const world = await new World(kills).up();
    await world.works(MINUTE);
    await lie(world, {});
    await world.works(5 * MINUTE);
    expect(world.acts).toEqual([]);
    await world.lives("spinning");
    await world.clock.run(2 * MINUTE);
    expect(world.acts.map(({ do: what }) => what)).toContain("restart");
  });
});

describe("an agent that crashed", () => {
  it("is restarted when evidence had its time, aimed at the life that ended", async () => {
    const world = await new World([RESTART]).up();
    await world.lives();
    await world.dies();
    await world.clock.run(9 * SECOND);
    expect(world.acts).toEqual([]);
    await world.clock.run(4 * SECOND);
    expect(world.acts).toMatchObject([{ do: "restart", target: { aim: { incarnation: life(100) } } }]);
    expect(await world.records()).toEqual(["restart done"]);
  });

  it("is restarted as soon as the evidence is there", async () => {
    const world = await new World([RESTART]).up();
    await world.lives();
    await world.dies();
    const [incident] = [...world.watcher.desk.incidents];
    const findings = { at: world.clock.wall(), items: [] };
    await world.watcher.command({ kind: "attach", id: incident?.id ?? "", parts: { findings } });
    await world.clock.run(2 * SECOND);
    expect(world.acts).toHaveLength(1);
  });

  it("again and again is left down after three restarts, and that is told once", async () => {
    const world = await new World([RESTART]).up();
    await world.lives();
    world.act = async () => {
      await world.starts();
      return DONE;
    };
    for (let n = 0; n < 6; n++) {
      await world.dies();
      await world.clock.run(90 * SECOND);
    }
    expect(world.acts).toHaveLength(3);
    await world.clock.run(3 * HOUR);
    expect(world.acts).toHaveLength(3);
    expect(await world.records()).toEqual([
      "restart done",
      "restart done",
      "restart done",
      "restart dropped",
    ]);
    expect(world.lines.filter((line) => line.includes("gave up"))).toEqual([
      expect.stringContaining("recovery: restarted 3 times in 4 min"),
    ]);
  });

  it("and takes a while to show itself is not given up before it could", async () => {
    const world = await new World([RESTART]).up();
    await world.lives();
    world.act = () => {
      // It is seen by the next round only.
      world.clock.after(5 * SECOND, () => void world.starts());
      return DONE;
    };
    for (let n = 0; n < 3; n++) {
      await world.dies();
      await world.clock.run(90 * SECOND);
    }
    expect(await world.records()).toEqual(Array(3).fill("restart done"));
    expect(world.watcher.reader.place("allegro")?.entry.standing.verdict.state).toBe("alive");
  });

  it("is restarted although it is silenced: a silence hides messages alone", async () => {
    const world = await new World([RESTART]).up();
    await world.lives();
    const silence = { id: "s", agents: "*", from: START, until: START + HOUR, why: "upgrade", by: "ada" };
    await world.watcher.command({ kind: "silence", silence });
    await world.dies();
    await world.clock.run(15 * SECOND);
    expect(world.acts).toHaveLength(1);
    expect(world.heard).toEqual([]);
  });

  it("and is taken off the roll leaves nothing open behind", async () => {
    const world = await new World([RESTART]).up();
    await world.lives();
    await world.dies();
    await world.clock.run(15 * SECOND);
    await world.watcher.configure({
      autoRegister: false,
      defaultRule: { every: MINUTE, grace: MINUTE },
      agents: [],
    });
    await world.clock.run(MINUTE);
    expect((await world.store.load()).recoveries).toEqual([]);
  });

  it("and whose restarts do nothing gets them 10, 20 s after one another, and no fourth", async () => {
    const world = await new World([RESTART]).up();
    await world.lives();
    await world.dies();
    await world.clock.run(HOUR);
    const [first = 0, ...more] = world.acts.map(({ at }) => at);
    expect(more.map((at) => at - first)).toEqual([11 * SECOND, 32 * SECOND]);
  });

  it("is restarted again with a fresh budget after half an hour of health, also by the next watcher", async () => {
    const world = await new World([RESTART]).up();
    await world.lives();
    await world.dies();
    await world.clock.run(2 * MINUTE);
    expect(world.acts).toHaveLength(3);
    await world.starts();
    await world.works(20 * MINUTE);
    const open = async () => (await world.store.load()).recoveries;
    expect(await open()).toHaveLength(4);
    await world.recoverers.stop();
    await world.watcher.stop();
    await world.up();
    await world.works(32 * MINUTE);
    expect(await open()).toEqual([]);
    await world.dies();
    await world.clock.run(15 * SECOND);
    expect(world.acts).toHaveLength(4);
  });

  it("tells the places of the ladder when the budget is spent, and them alone", async () => {
    const world = await new World([RESTART, ESCALATE]).up();
    await world.lives();
    await world.dies();
    await world.clock.run(10 * MINUTE);
    expect(await world.records()).toEqual([
      ...Array(3).fill("restart done"),
      "restart dropped",
      "escalate done",
    ]);
    expect(world.lines.filter((line) => line.includes("restarted 3 times"))).toHaveLength(1);
    await world.clock.run(HOUR);
    expect(world.heard.filter((title) => title.startsWith("allegro is"))).toHaveLength(2);
  });

  it("is escalated with all that an alert carries, and everyone who heard of it hears that Rollcall gave up", async () => {
    const world = await new World([RESTART, { ...ESCALATE, to: ["phone"] }], NAMED).up();
    await world.lives();
    await world.dies();
    await world.clock.run(10 * MINUTE);
    const [alert, ...more] = world.to("ops");
    const [escalated] = world.to("phone");
    expect(world.to("phone")).toHaveLength(1);
    expect(escalated).toMatchObject({
      severity: "critical",
      title: "Allegro the bot (allegro) is still dead: Rollcall gave up restarting it",
      lines: [
        expect.stringMatching(/\(exit 1\).*; recovery: restarted 3 times in 1 min \d+ s, gave up$/),
        expect.stringMatching(/^since 2026-03-02T08:00:00Z \(1 min \d+ s\)$/),
      ],
      links: ["https://roll.example/agents/allegro"],
      buttons: [{ label: "Acknowledge" }, { label: "Silence 1 h" }, { label: "Restart" }],
    });
    const { lines: _, data: __, title: ___, ...same } = alert as Message;
    expect(escalated).toMatchObject(same);
    expect(more.map(({ title }) => title)).toEqual([escalated?.title]);
  });

  it("and stays down is escalated to one place without news for the others, if Rollcall did not give up", async () => {
    const world = await new World([{ ...ESCALATE, to: ["phone"] }], NAMED).up();
    await world.lives();
    await world.dies();
    await world.clock.run(10 * MINUTE);
    expect(world.to("phone")).toMatchObject([
      { lines: [expect.stringMatching(/; recovery: escalated$/), expect.any(String)] },
    ]);
    expect(world.to("ops").map(({ title }) => title)).toEqual(["Allegro the bot (allegro) is dead"]);
  });

  it("has its work released, and then is restarted", async () => {
    const world = await new World([RELEASE, RESTART]).up();
    await world.lives();
    world.act = async (_, kind) => {
      if (kind === "restart") await world.starts();
      return DONE;
    };
    await world.dies();
    await world.clock.run(MINUTE);
    expect(world.acts.map((each) => each.do)).toEqual(["release", "restart"]);
  });
});

describe("an agent that asks", () => {
  it("is escalated with its question and the way to its pane, although they are read after the step", async () => {
    const asks: Ladder = [{ ...ESCALATE, to: ["phone"], when: { states: ["waiting"] } }];
    const world = await new World(asks, NAMED).up();
    await world.works(MINUTE);
    await world.lives("waiting", { at: world.clock.wall() });
    await world.clock.run(SECOND);
    expect(await world.records()).toEqual(["escalate done"]);
    const [incident] = [...world.watcher.desk.incidents];
    const { id = "", change = 0 } = incident ?? {};
    const choices = [{ number: 1, label: "Yes" }];
    const asked = { text: "Deploy?", choices, fingerprint: "f", change, attach: "tmux attach -t bot" };
    await world.watcher.command({ kind: "attach", id, parts: { asked } });
    await world.clock.run(MINUTE);
    expect(world.to("phone")).toMatchObject([
      {
        title: "Allegro the bot (allegro) is waiting",
        lines: expect.arrayContaining([expect.stringMatching(/; recovery: escalated$/), "│ Deploy?"]),
        commands: ["rollcall answer allegro", "tmux attach -t bot", `rollcall incidents ack ${id}`],
        buttons: [{ label: "1. Yes" }, { label: "Acknowledge" }, { label: "Silence 1 h" }],
      },
    ]);
  });
});

describe("before a step the agent is looked at again, and the step is dropped if", () => {
  const drops = async (meanwhile: (world: World) => void | Promise<void>, ladder: Ladder = [RESTART]) => {
    const world = await new World(ladder).up();
    await world.lives();
    await world.dies();
    await world.clock.run(9 * SECOND);
    await meanwhile(world);
    await world.clock.run(5 * SECOND);
    return world;
  };

  it("it recovered", async () => {
    const world = await drops((world) => {
      const { facts } = world;
      world.facts = () => [...facts(), { ...world.present(), at: world.clock.wall() + 1 }];
    });
    expect(world.acts).toEqual([]);
    expect(await world.reasons()).toEqual(["recovered: it has recovered"]);
  });

  it("another life of it died meanwhile", async () => {
    const world = await drops((world) => {
      const at = world.clock.wall();
      const incarnation = life(7);
      world.facts = () => [
        { kind: "gone", signal: "tmux", at, seenAt: world.clock.wall(), clean: false, incarnation },
      ];
    });
    expect(await world.reasons()).toEqual(["new-incarnation: a newer process of it has appeared"]);
    await world.clock.run(10 * SECOND);
    expect(world.acts).toMatchObject([{ target: { aim: { incarnation: life(7) } } }]);
  });

  it("its pane asks for permission", async () => {
    const world = await drops((world) => {
      const { facts } = world;
      world.facts = () => [
        ...facts().map((fact) => ({ ...fact, signal: "process" }) as Observation),
        world.reading("waiting", { seenAt: world.clock.wall() + 1 }),
      ];
    });
    expect(world.acts).toEqual([]);
    expect(await world.reasons()).toEqual(["waiting: it waits for a human, so Rollcall leaves it alone"]);
  });

  it("an operator paused it", async () => {
    const world = await drops((world) => {
      const look = world.look.bind(world);
      world.look = async () => {
        await world.watcher.pause("allegro");
        await look();
      };
    });
    expect(world.acts).toEqual([]);
    expect(await world.reasons()).toEqual(["recovered: it has recovered"]);
  });

  it("it cannot be looked at", async () => {
    const world = await drops((world) => {
      world.look = () => Promise.reject(new Error("no"));
    });
    expect(world.acts).toEqual([]);
    expect(await world.reasons()).toEqual(["unclear: Rollcall cannot tell how it is"]);
  });
});

describe("an agent that is not to be touched", () => {
  const eager: Ladder = [
    { ...NUDGE, when: { states: ["waiting", "limited", "stalled"] } },
    { ...RESTART, kill: true, when: { states: ["waiting", "limited"] } },
  ];

  it.each(["waiting", "login", "limited"] as const)(
    "because it is %s is left alone for a day",
    async (reading) => {
      const world = await new World(eager).up();
      await world.lives(reading);
      await world.clock.run(24 * HOUR);
      expect(world.acts).toEqual([]);
      expect(await world.records()).toEqual([]);
    },
  );

  it("because of a limit is nudged once, just after the limit ended", async () => {
    const world = await new World(eager).up();
    const resetAt = START + 2 * HOUR;
    await world.lives("limited", { resetAt });
    await world.clock.run(2 * HOUR);
    expect(world.acts).toEqual([]);
    await world.clock.run(2 * HOUR);
    expect(world.acts).toMatchObject([{ do: "nudge" }]);
    expect(world.acts[0]?.at).toBe(resetAt + 6 * SECOND);
  });

  it("because of a limit is nudged when the clock says so, if it was set meanwhile", async () => {
    const world = await new World(eager).up();
    await world.lives("limited", { resetAt: START + 2 * HOUR });
    await world.clock.run(MINUTE);
    world.clock.step(2 * HOUR);
    await world.clock.run(10 * SECOND);
    await world.look();
    await world.clock.run(MINUTE);
    expect(world.acts).toMatchObject([{ do: "nudge" }]);
  });
});

describe("a watcher that is killed", () => {
  it("while a step is under way leaves one that counts, and the next watcher says so", async () => {
    const world = await new World([RESTART]).up();
    await world.lives();
    world.act = () => new Promise<Acted>(() => {});
    await world.dies();
    await world.clock.run(15 * SECOND);
    expect(await world.records()).toEqual(["restart acting"]);
    world.kill();
    world.act = () => DONE;
    await world.up();
    await world.clock.run(HOUR);
    expect(await world.records()).toEqual([
      "restart failed",
      "restart done",
      "restart done",
      "restart dropped",
    ]);
    expect((await world.reasons())[0]).toContain("may have been done");
  });

  it("before a step leaves one that was never taken", async () => {
    const world = await new World([RESTART]).up();
    await world.lives();
    await world.dies();
    world.look = () => new Promise<void>(() => {});
    await world.clock.run(15 * SECOND);
    expect(await world.records()).toEqual(["restart planned"]);
    world.kill();
    await world.up();
    // The next one plans it anew.
    expect(await world.records()).toEqual(["restart dropped", "restart planned"]);
  });

  it("or stopped ends what is under way, and that is on record", async () => {
    const world = await new World([RESTART]).up();
    await world.lives();
    let end = () => {};
    world.act = () =>
      new Promise<Acted>((done) => (end = () => done({ outcome: "failed", problem: "stopped" })));
    await world.dies();
    await world.clock.run(15 * SECOND);
    const stopped = world.recoverers.stop();
    end();
    await stopped;
    expect(await world.records()).toEqual(["restart failed"]);
  });
});

describe("nothing is done", () => {
  it("before it is on record that it is under way", async () => {
    const world = await new World([RESTART]).up();
    await world.lives();
    let recorded: readonly string[] = [];
    world.act = async () => {
      recorded = await world.records();
      return DONE;
    };
    await world.dies();
    await world.clock.run(15 * SECOND);
    expect(recorded).toEqual(["restart acting"]);
  });

  it("while that cannot be stored", async () => {
    const world = new World([RESTART]);
    const commit = world.store.commit.bind(world.store);
    world.store.commit = (changes) => {
      const acting = changes.recoveries?.some(({ recovery }) => recovery.state === "acting");
      return acting ? Promise.reject(new Error("disk full")) : commit(changes);
    };
    await world.up();
    await world.lives();
    await world.dies();
    await world.clock.run(5 * MINUTE);
    expect(world.acts).toEqual([]);
    const states = new Set(await world.records());
    expect(states.has("restart acting") || states.has("restart done")).toBe(false);
    expect(states.has("restart planned") || states.has("restart dropped")).toBe(true);
  });
});

describe("a store that hangs", () => {
  const HANG = 20 * MINUTE;
  const hanging = async (hangs: (changes: Changes, world: World) => boolean) => {
    const world = new World([RESTART]);
    const commit = world.store.commit.bind(world.store);
    let hung = false;
    world.store.commit = async (changes) => {
      if (!hung && hangs(changes, world)) {
        hung = true;
        await new Promise<void>((done) => world.clock.after(HANG, done));
      }
      return commit(changes);
    };
    await world.up();
    await world.lives();
    await world.dies();
    await world.clock.run(HANG);
    return world;
  };

  it("while a step is put on record lets nothing be done before the agent is looked at again", async () => {
    const world = await hanging(({ recoveries = [] }) =>
      recoveries.some(({ recovery }) => recovery.state === "acting"),
    );
    expect(world.acts).toEqual([]);
    // Meanwhile somebody has started it, and it asks for permission.
    world.pid += 1;
    world.facts = () => [world.present(), world.reading("waiting", { at: world.clock.wall() })];
    await world.clock.run(5 * MINUTE);
    expect(world.acts).toEqual([]);
    expect(await world.reasons()).toContain("unclear: Rollcall cannot tell how it is");
  });

  it("while what was seen before a step is judged does so, too", async () => {
    let looks = 0;
    const looksBefore: number[] = [];
    const world = await hanging((_, world) => {
      const { look } = world;
      if (looks === 0 && world.watcher?.reader.place("allegro")?.entry.standing.verdict.state === "dead") {
        world.look = async () => {
          looks += 1;
          await look.call(world);
        };
        world.act = () => {
          looksBefore.push(looks);
          return DONE;
        };
      }
      return looks === 2;
    });
    await world.clock.run(MINUTE);
    expect(looksBefore[0]).toBe(4);
  });
});

it("a step that is planned at the same wall time as an earlier one does not take its place", async () => {
  const plannedAfter = async (setBack: number) => {
    const world = await new World([RESTART]).up();
    await world.lives();
    world.act = () => {
      if (world.acts.length === 1) world.clock.step(-setBack);
      return DONE;
    };
    await world.dies();
    for (let n = 0; n < 60 && world.acts.length < 2; n++) await world.clock.run(SECOND);
    const taken = await world.store.recoveries.page({ agent: "allegro", limit: 99 });
    return taken.map(({ plannedAt }) => plannedAt);
  };
  const [second = 0, first = 0] = await plannedAfter(0);
  expect(second).toBeGreaterThan(first);
  expect(await plannedAfter(second - first)).toEqual([first, first]);
});

it("an adapter that throws is a step that failed", async () => {
  const world = await new World([RESTART]).up();
  await world.lives();
  world.act = () => {
    throw new Error("boom");
  };
  await world.dies();
  await world.clock.run(13 * SECOND);
  expect(await world.reasons()).toEqual(["boom"]);
});

it("nothing is recorded of agents without a ladder", async () => {
  const world = await new World([]).up();
  await world.lives();
  await world.dies();
  await world.clock.run(HOUR);
  expect(await world.records()).toEqual([]);
});
