import { describe, expect, it } from "vitest";
import { readBatch, readCommand } from "./batch.ts";
import { offsetAfter } from "./clock-offset.ts";
import { canTalk } from "./versions.ts";

const entry = { id: "bot", state: "alive", reason: "beat", why: "beat 3 s ago", since: 1000 };
const episode = {
  ...{
    id: "bot-1",
    kind: "agent",
    subject: "bot",
    group: "default",
    state: "dead",
    reason: "exited",
    why: "gone",
  },
  ...{ severity: "critical", since: 1, noticedAt: 2, openedAt: 1, episodes: [1], flapping: false, change: 1 },
};

function batch(facts: readonly unknown[], more: object = {}): unknown {
  return {
    ...{ v: 1, host: "web1", spool: "s", boot: "b", version: "0.1.0", from: 0, backlog: 0 },
    ...{ clock: { wall: 1, uptime: 1 }, facts, ...more },
  };
}

const numbered = (fact: object, seq = 1) => ({ seq, fact: { at: 5, ...fact } });

describe("a batch", () => {
  it("is read with its facts, and says up to which number it goes", () => {
    const facts = [numbered({ k: "flip", entry }), numbered({ k: "episode", episode }, 4)];
    expect(readBatch(batch(facts))).toMatchObject({ host: "web1", facts, upTo: 4 });
    expect(readBatch(batch([]))).toMatchObject({ facts: [], upTo: 0 });
  });

  it("passes over facts of kinds that a later version has, and counts them", () => {
    const facts = [numbered({ k: "mood", colour: "blue" }), numbered({ k: "flip", entry }, 2)];
    expect(readBatch(batch(facts))).toMatchObject({ facts: [{ seq: 2 }], upTo: 2 });
    expect(readBatch(batch([numbered({ k: "mood" }, 9)]))).toMatchObject({ facts: [], upTo: 9 });
  });

  it("takes states and reasons of a later version for unknown", () => {
    const read = readBatch(
      batch([numbered({ k: "flip", entry: { ...entry, state: "dreaming", reason: "sheep" } })]),
    );
    expect(read).toMatchObject({ facts: [{ fact: { entry: { state: "unknown", reason: "not-watched" } } }] });
  });

  it.each([
    ["no object", "text", "a batch must be an object"],
    ["another version", batch([], { v: 2 }), "v must be 1, not 2"],
    ["a path as host", batch([], { host: "../etc" }), 'host must be a host\'s name, not "../etc"'],
    ["no spool", batch([], { spool: "" }), "spool must be a short text"],
    ["a number that is none", batch([], { from: -1 }), "from must be a whole number, not -1"],
    [
      "facts out of order",
      batch([numbered({ k: "removed", agent: "bot" }, 2), numbered({ k: "removed", agent: "bot" }, 2)]),
      "fact 2 comes after 2",
    ],
    [
      "an infinite date",
      batch([numbered({ k: "flip", entry: { ...entry, since: Infinity } })]),
      "not finite",
    ],
    [
      "an agent that is a path",
      batch([numbered({ k: "flip", entry: { ...entry, id: "../../x" } })]),
      "names no agent",
    ],
    [
      "an id without room for the host",
      batch([numbered({ k: "flip", entry: { ...entry, id: "a".repeat(100) } })]),
      "names no agent",
    ],
    [
      "half an episode",
      batch([numbered({ k: "episode", episode: { ...episode, episodes: "x" } })]),
      "is not a whole episode",
    ],
    [
      "a kind of incident that no host has",
      batch([numbered({ k: "episode", episode: { ...episode, kind: "group" } })]),
      "unknown episode.kind",
    ],
    [
      "a span of an unknown cause",
      batch([numbered({ k: "blind", span: { from: 1, to: 2, cause: "x" } })]),
      "unknown span.cause",
    ],
    ["a result that is none", batch([], { results: [{ number: 1 }] }), "results must be"],
  ])("with %s is refused with what is wrong", (_, value, says) => {
    expect(readBatch(value)).toContain(says);
  });
});

describe("a command", () => {
  const command = { number: 1, name: "pause", target: "bot", by: "ada", ttl: 1000 };
  it("is read without anything else that came with it", () => {
    expect(readCommand({ ...command, argv: ["rm", "-rf"], path: "/etc" })).toStrictEqual(command);
    expect(readCommand({ ...command, step: "restart" })).toStrictEqual({ ...command, step: "restart" });
    expect(readCommand({ ...command, step: "kill" })).toBeUndefined();
  });
  it("answers by the number of a choice and a question, and brings nothing to type", () => {
    const answer = { choice: 1, fingerprint: "KGaIiwuX8tHmr25E" };
    const asked = { ...command, name: "answer", answer };
    expect(readCommand({ ...asked, answer: { ...answer, text: "rm -rf /" } })).toStrictEqual(asked);
    for (const bad of [undefined, { choice: "1", fingerprint: "x" }, { choice: 1 }, { text: "yes" }])
      expect(readCommand({ ...asked, answer: bad })).toBeUndefined();
    expect(readCommand({ ...command, answer })).toBeUndefined();
  });
  it.each([
    ["unknown", { ...command, name: "exec" }],
    ["without end", { ...command, ttl: 0 }],
    ["without number", { ...command, number: "1" }],
    ["of nobody", { ...command, by: undefined }],
  ])("that is %s is none", (_, value) => {
    expect(readCommand(value)).toBeUndefined();
  });
});

describe("the offset of a host's clock", () => {
  it("is the smallest of what was measured lately, and does not tremble", () => {
    let offset = offsetAfter(undefined, 0, 5040);
    for (const late of [5300, 5020, 5900, 5010]) offset = offsetAfter(offset, 0, late);
    expect(offset.used).toBe(5040);
    for (let n = 0; n < 20; n++) offset = offsetAfter(offset, 0, 3000);
    expect(offset.used).toBe(3000);
    expect(offsetAfter(undefined, 0, 1900).used).toBe(0);
  });
  it("follows a clock that was set at once", () => {
    const offset = offsetAfter(offsetAfter(undefined, 0, 10), 0, 3_600_000);
    expect(offset).toStrictEqual({ used: 3_600_000, samples: [3_600_000] });
  });
});

it("a hub takes hosts of its own minor version and of the two before, and no newer ones", () => {
  expect(["1.4.9", "1.3.0", "1.2.7"].every((host) => canTalk("1.4.0", host))).toBe(true);
  expect(["1.5.0", "1.1.9", "2.4.0", "0.4.0", "x"].some((host) => canTalk("1.4.0", host))).toBe(false);
});
