import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { type ChannelUnderTest, channelContract, dispatch, UNSEEN } from "../../ports/channel.contract.ts";
import { openConsole } from "./index.ts";

interface Under extends ChannelUnderTest {
  readonly behave: (write: (done: (error?: Error) => void) => void) => void;
  readonly reached: Promise<void>;
}

channelContract<Under>(
  "console",
  () => {
    const blocks: string[] = [];
    let behaviour = (done: (error?: Error) => void) => done();
    let wake = () => {};
    const reached = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const stream = new Writable({
      write(block, _, done) {
        blocks.push(String(block));
        wake();
        behaviour(done);
      },
    });
    return {
      channel: openConsole(stream),
      secrets: [],
      heard: () => blocks,
      reached,
      behave: (write) => {
        behaviour = write;
      },
    };
  },
  {
    sent: [{ name: "reads", far: () => {} }],
    retry: [
      {
        name: "has gone",
        far: ({ behave }) => behave((done) => done(Object.assign(new Error("EPIPE"), { code: "EPIPE" }))),
      },
    ],
    refused: [],
    hang: {
      name: "does not read",
      far: ({ behave }) => behave(() => {}),
      reached: ({ reached }) => reached,
    },
    harmless({ heard }) {
      const [block = ""] = heard();
      expect(block).not.toMatch(UNSEEN);
      expect(block.length).toBeLessThanOrEqual(8001);
      // Nothing of theirs begins a line, so nothing of theirs looks like a block of ours.
      for (const line of block.trimEnd().split("\n").slice(1)) expect(line).toMatch(/^ {2}/);
    },
  },
);

test("a message is one block", async () => {
  const stream = new PassThrough();
  expect(await openConsole(stream).send(dispatch())).toEqual({ outcome: "sent" });
  expect(String(stream.read())).toBe(
    "2026-03-01T12:00:00.000Z warning: ⚠️ builder is stalled\n  since 12:00 (23 min)\n" +
      "  its screen shows nothing new\n  $ rollcall peek builder\n  http://127.0.0.1:7766/agents/builder\n" +
      "  ref incident-7f3a.telling-1\n",
  );
  expect(stream.listenerCount("error")).toBeLessThanOrEqual(1);
});
