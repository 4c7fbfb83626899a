import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Message } from "../core/delivery/message.ts";
import type { Receipt } from "../core/delivery/receipt.ts";
import type { Channel, Dispatch } from "./channel.ts";

/** A channel and the far side that it speaks to. */
export interface ChannelUnderTest {
  readonly channel: Channel;
  /** What must stand in no receipt. */
  readonly secrets: readonly string[];
  /** All that the far side was handed, decoded, one text for each attempt. */
  readonly heard: () => readonly string[];
  readonly cleanUp?: () => Promise<void> | void;
}

export interface Case<Under> {
  readonly name: string;
  /** Makes the far side behave so from now on. */
  readonly far: (under: Under) => Promise<void> | void;
}

export interface ChannelCases<Under> {
  readonly sent: readonly Case<Under>[];
  readonly retry: readonly (Case<Under> & { readonly after?: number })[];
  /** `says`: what of the problem tells people what to do. */
  readonly refused: readonly (Case<Under> & { readonly says: string })[];
  /** The far side never answers. */
  readonly hang?: Case<Under> & {
    /** Resolves when it was handed the attempt. */
    readonly reached: (under: Under) => Promise<void>;
    /** Resolves when we have left it. */
    readonly left?: (under: Under) => Promise<void>;
  };
  /** Whether what the far side was handed of the hostile message is harmless, valid and within its limit. */
  readonly harmless: (under: Under) => void;
}

export const KEY = "incident-7f3a.telling-1";
const AT = Date.parse("2026-03-01T12:00:00.000Z");

const MARKUP =
  "@everyone @here <!channel> <@U123> <script>alert(1)</script> <b>x</i> &lt; *b* _i_ ~s~ `c` ```f``` [a](http://evil.example) > q # h || s || :skull: /stop";
const ESCAPES =
  "\u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007click\u001b]8;;\u0007 \u009b2J\u0007\u202egnp\u2028\r\nBcc: all@example.org\r\n.\r\n\u0000 \ud800";

/** What an agent could make of its name, its log and its screen. */
export const HOSTILE: Message = {
  severity: "critical",
  title: `builder ${MARKUP} ${ESCAPES}`,
  lines: [
    MARKUP,
    ESCAPES,
    "1. list",
    "- list",
    `${"<&>*_`@\\".repeat(12_500)}`,
    "🙂".repeat(30_000),
    "never seen",
  ],
  commands: [`rollcall explain 'x <!channel> @everyone \`\`\` </pre> ${ESCAPES}'`, "x".repeat(100_000)],
  links: ["javascript:alert(1)", 'https://example.org/?q="><b>', "https://example.org/@everyone"],
  data: { agent: "builder", state: "dead" },
};

export const ORDINARY: Message = {
  severity: "warning",
  title: "builder is stalled",
  lines: ["since 12:00 (23 min)", "its screen shows nothing new"],
  commands: ["rollcall peek builder"],
  links: ["http://127.0.0.1:7766/agents/builder"],
};

export function dispatch(more: Partial<Dispatch> = {}): Dispatch {
  return { key: KEY, message: ORDINARY, at: AT, attempt: 1, abort: new AbortController().signal, ...more };
}

/** What every channel must do, whatever the far side does. */
export function channelContract<Under extends ChannelUnderTest>(
  name: string,
  setUp: () => Under | Promise<Under>,
  { sent, retry, refused, hang, harmless }: ChannelCases<Under>,
): void {
  describe(`${name} keeps the contract of channels`, () => {
    let under: Under;
    beforeEach(async () => {
      under = await setUp();
    });
    afterEach(async () => {
      await under.cleanUp?.();
    });

    /** Sends, and looks for secrets in whatever comes of it. */
    const send = async (more: Partial<Dispatch> = {}): Promise<Receipt> => {
      const receipt = await under.channel.send(dispatch(more));
      for (const secret of under.secrets) expect(JSON.stringify(receipt)).not.toContain(secret);
      return receipt;
    };

    it.each(sent)("it is sent when the far side $name", async ({ far }) => {
      await far(under);
      expect(await send()).toMatchObject({ outcome: "sent" });
      expect(under.heard().join()).toContain(ORDINARY.title);
    });

    it.each(retry)("it is tried again when the far side $name", async ({ far, after }) => {
      await far(under);
      const receipt = await send();
      expect(receipt).toMatchObject({ outcome: "retry", problem: expect.stringMatching(/\S/) });
      expect("after" in receipt ? receipt.after : undefined).toBe(after);
    });

    it.each(refused)("it is given up when the far side $name", async ({ far, says }) => {
      await far(under);
      expect(await send()).toMatchObject({ outcome: "refused", problem: expect.stringContaining(says) });
    });

    it("carries the same key at every attempt, where the far side sees it", async () => {
      await sent[0]?.far(under);
      for (const attempt of [1, 2]) await send({ attempt });
      expect(under.heard()).toHaveLength(2);
      for (const attempt of under.heard()) expect(attempt).toContain(KEY);
    });

    it("makes hostile text harmless and keeps it within the limit", async () => {
      await sent[0]?.far(under);
      expect(await send({ message: HOSTILE })).toMatchObject({ outcome: "sent" });
      expect(under.heard()).toHaveLength(1);
      harmless(under);
    });

    it.each(["", " \n", "ключ\r\nX-Evil: 1", "k".repeat(10_000), "\ud800"])(
      "takes a strange key (%#) and a message without words",
      async (key) => {
        await sent[0]?.far(under);
        const message: Message = { severity: "info", title: "", lines: [], commands: [""], links: [""] };
        expect(await send({ key, message })).toMatchObject({ outcome: "sent" });
      },
    );

    it("sends nothing after its time", async () => {
      await sent[0]?.far(under);
      expect(await send({ abort: AbortSignal.abort() })).toMatchObject({ outcome: "retry" });
      expect(under.heard()).toEqual([]);
    });

    it.runIf(hang !== undefined)("ends with its time when the far side never answers", async () => {
      if (hang === undefined) return;
      await hang.far(under);
      const abort = new AbortController();
      const sending = send({ abort: abort.signal });
      await hang.reached(under);
      abort.abort();
      expect(await sending).toMatchObject({ outcome: "retry" });
      await hang.left?.(under);
    });
  });
}

/** Control characters, besides the line ends that we write, and those that turn the direction of writing. */
export const UNSEEN =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/u;
