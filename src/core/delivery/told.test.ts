import { describe, expect, it } from "vitest";
import type { Delivery } from "./delivery.ts";
import { failingOf, toldOf } from "./told.ts";

const made = (to: string, at: number, more: Partial<Delivery> = {}): Delivery => ({
  ...{ key: `${to}${at}`, to, about: "bot", createdAt: at, dueAt: at, attempts: 0, state: "pending" },
  message: { severity: "critical", title: "bot is dead", lines: [] },
  ...more,
});
const sent = (to: string, at: number) => made(to, at, { state: "sent", attempts: 1, endedAt: at + 5 });

describe("who was told of an incident", () => {
  it("is no place before something arrived there, however often it was tried", () => {
    const tries = made("team", 10, { attempts: 22, triedAt: 900, problem: "connection refused" });
    expect(toldOf([tries, made("team", 20), made("mail", 10)])).toEqual([
      { place: "mail", delivered: 0, undelivered: 1, since: 10, attempts: 0, dueAt: 10 },
      {
        ...{ place: "team", delivered: 0, undelivered: 2, since: 10, attempts: 22 },
        problem: "connection refused",
      },
    ]);
  });

  it("is a place from its first message on, also while a later one waits or was refused", () => {
    const lost = made("team", 30, { state: "refused", attempts: 1, triedAt: 40, problem: "403" });
    expect(toldOf([lost, sent("team", 20), sent("team", 10)])).toEqual([
      {
        ...{ place: "team", deliveredAt: 15, delivered: 2, undelivered: 1 },
        ...{ since: 30, attempts: 1, problem: "403" },
      },
    ]);
  });

  it("is a place whose messages are held back until the first of them is free, unless one is free already", () => {
    const [one, two] = [made("team", 10), made("team", 20)];
    const until = (delivery: Delivery) => ({ until: delivery.createdAt + 90, by: "mute" }) as const;
    expect(toldOf([two, one], until)).toMatchObject([{ held: { until: 100, by: "mute" } }]);
    expect(toldOf([two, one], (each) => (each === one ? until(each) : undefined))[0]?.held).toBeUndefined();
  });

  it("is nobody whose message nobody needed any more", () => {
    expect(toldOf([made("team", 10, { state: "superseded" })])).toEqual([]);
  });
});

describe("a channel", () => {
  const tried = (attempts: number) => made("team", 10, { attempts, triedAt: 99, problem: "no answer" });

  it.each([
    ["with nothing to send is well", []],
    ["that was tried twice is not failing yet", [tried(2)]],
    ["whose newest message arrived is well again", [sent("team", 50), made("team", 1, refused(20))]],
  ])("%s", (_, deliveries) => {
    expect(failingOf("team", deliveries)).toBeUndefined();
  });

  it("that fails again and again is failing since its oldest message waits, with all that wait behind it", () => {
    expect(failingOf("team", [tried(22), made("team", 20), sent("team", 5)])).toEqual({
      ...{ place: "team", undelivered: 2, since: 10, attempts: 22, problem: "no answer" },
    });
  });

  it("that refused its newest message is failing", () => {
    expect(failingOf("team", [sent("team", 5), made("team", 10, refused(20))])).toEqual({
      ...{ place: "team", undelivered: 1, since: 10, attempts: 1, problem: "403" },
    });
  });
});

function refused(at: number): Partial<Delivery> {
  return { state: "refused", attempts: 1, triedAt: at, endedAt: at, problem: "403" };
}
