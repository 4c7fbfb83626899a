import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Observation } from "../core/liveness/observation.ts";
import { type Look, NothingToShow, type SignalReader } from "./signal.ts";

/** Something to look at that does not change by itself during a test. */
export interface SignalUnderTest {
  /** A reader of something that is there. */
  readonly make: (memory?: unknown) => SignalReader;
  /** A reader of the same kind whose thing is missing. */
  readonly absent: () => SignalReader;
  readonly cleanUp?: () => Promise<void> | void;
}

const ROUND = 10_000;
/** After this many looks at what does not change, everything has been said. */
const LOOKS = 6;
const RUBBISH = [null, 7, "memory", [], { known: 1, log: [], screen: "x", told: { at: "now" } }];

/** What every reader of signals must do. */
export function signalContract(name: string, setUp: () => SignalUnderTest | Promise<SignalUnderTest>): void {
  describe(`${name} keeps the contract of signals`, () => {
    let under: SignalUnderTest;
    let opened: SignalReader[] = [];
    let now = 0;

    beforeEach(async () => {
      under = await setUp();
      now = Date.now();
    });
    afterEach(async () => {
      for (const reader of opened) reader.close();
      opened = [];
      await under.cleanUp?.();
    });

    const open = (reader: SignalReader): SignalReader => {
      opened.push(reader);
      return reader;
    };
    const look = (reader: SignalReader, more: Partial<Look> = {}): Promise<readonly Observation[]> => {
      now += ROUND;
      return reader.look({ now, fresh: false, abort: new AbortController().signal, ...more });
    };
    const settle = async (reader: SignalReader): Promise<void> => {
      for (let i = 0; i < LOOKS; i += 1) await look(reader);
    };

    it("says something at the first look, in its own name, and nothing that is not yet true", async () => {
      const reader = open(under.make());
      const said = await look(reader);
      expect(said).not.toEqual([]);
      for (const fact of said) {
        expect(fact.signal).toBe(reader.signal);
        expect(fact.at).toBeLessThanOrEqual(now);
      }
    });

    it("never throws on what is absent, and never calls that a sign of life", async () => {
      const reader = open(under.absent());
      const said = await look(reader, { fresh: true });
      expect(said).not.toEqual([]);
      for (const { kind } of said) expect(["degraded", "gone"]).toContain(kind);
      // A person who asks to see it is told that it is not there.
      for (const how of ["screen", "raw"] as const)
        if (reader.show !== undefined) await expect(reader.show(how)).rejects.toBeInstanceOf(NothingToShow);
    });

    it("says once that something is absent", async () => {
      const reader = open(under.absent());
      await settle(reader);
      expect(await look(reader)).toEqual([]);
    });

    it("says nothing while nothing changes", async () => {
      const reader = open(under.make());
      await settle(reader);
      expect(await look(reader)).toEqual([]);
    });

    it("needs no look only where a look would say nothing", async () => {
      const reader = open(under.make());
      expect(reader.glance?.(now) ?? false).toBe(false);
      await settle(reader);
      if (reader.glance?.(now + ROUND) === true) expect(await look(reader)).toEqual([]);
      const absent = open(under.absent());
      expect(absent.glance?.(now) ?? false).toBe(false);
    });

    it("says everything again when it is asked afresh", async () => {
      const reader = open(under.make());
      await settle(reader);
      const said = await look(reader, { fresh: true });
      expect(said).not.toEqual([]);
      const kinds = (facts: readonly Observation[]) => facts.map(({ kind }) => kind);
      expect(kinds(await look(reader, { fresh: true }))).toEqual(kinds(said));
    });

    it("looks no longer than it may, and tells the next time", async () => {
      const reader = open(under.make());
      expect(await look(reader, { abort: AbortSignal.abort() })).toBeInstanceOf(Array);
      const controller = new AbortController();
      const broken = look(reader, { abort: controller.signal });
      controller.abort();
      const first = await broken;
      const then = await look(reader);
      expect([...first, ...then]).not.toEqual([]);
    });

    it("goes on from its memory after a restart, without saying it all again", async () => {
      const before = open(under.make());
      await settle(before);
      const memory: unknown = JSON.parse(JSON.stringify(before.memory?.() ?? null));
      if (before.memory === undefined) return;
      const after = open(under.make(memory));
      expect(await look(after)).toEqual([]);
      expect(await look(after, { fresh: true })).not.toEqual([]);
    });

    it.each(RUBBISH.map((one) => [one]))("starts anew from a memory that is none: %j", async (rubbish) => {
      expect(await look(open(under.make(rubbish)))).not.toEqual([]);
    });

    it("can be closed twice, and says nothing afterwards", async () => {
      const reader = open(under.make());
      await look(reader);
      reader.close();
      reader.close();
      expect(await look(reader)).toEqual([]);
    });
  });
}
