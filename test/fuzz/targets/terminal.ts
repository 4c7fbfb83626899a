import { read } from "../../../src/core/screen/read.ts";
import type { ReaderState } from "../../../src/core/screen/state.ts";
import { loadPacks } from "../../../src/signals/screens/packs.ts";
import { openTerminal } from "../../../src/signals/screens/terminal.ts";
import { must, type Target } from "../target.ts";

const COLS = 100;
const ROWS = 30;

/** What a program writes to its terminal: drawn, then read by the rules for screens. */
export const terminal: Target = {
  name: "terminal",
  examples: [
    '\u001b[2J\u001b[H> Try "fix the test"\r\n\r\n  ? for shortcuts\u001b[?25h\u001b[?2004h',
    "\u001b]0;working\u0007\u001b[31m✻ Thinking… (12s · esc to interrupt)\u001b[0m\r\n",
    "Do you want to proceed?\r\n❯ 1. Yes\r\n  2. No\r\n\u001b[5A\u001b[2K\u001b[10;20r\u001b[3L\u001b[2M",
    "You've hit your session limit · resets 9:15pm (Europe/Berlin)\r\n\u001b]9;4;1;50\u0007\u001b]7501;busy\u0007",
    'Traceback (most recent call last):\r\n  File "a.py", line 1\r\nKeyboardInterrupt\r\ndev@host:~$ ',
    "\u001b[?1049h\u001b[1;1H^G Help  ^O Write Out\u001b[?1049l\u001b7\u001b8\u001bP+q544e\u001b\\\u001b[6n",
  ],
  words: [
    ..."@ABCDEFGHIJKLMPSTXZ`abcdefghilmnpqrstux".split("").map((final) => `\u001b[2147483647${final}`),
    ..."LMSTbPX@".split("").map((final) => `\u009b65535;65535${final}`),
    ...[
      "\u001b[38:2:999999999:0:0m",
      "\u001b[38;5;999999999m",
      `\u001b[${"1;".repeat(500)}m`,
      "\u001b[?9999999999h",
    ],
    ...[
      "\u001b]52;c;AAAA\u0007",
      "\u001b]8;;http://x\u0007",
      "\u001bP$q\u001b\\",
      "\u001b_Gx\u001b\\",
      "\u001bX",
      "\u001b^",
      "\u001b#8",
    ],
    ...[
      "\u001b[?1049h",
      "\u001b[?1049l",
      "\u001b[3g",
      "\u001bH",
      "\t",
      "\u001bc",
      "\u001b[!p",
      "\u000e",
      "\u001b(0",
      "\u001bM",
      "\u001bD",
    ],
    ...[
      "esc to interrupt",
      "for shortcuts",
      "❯ 1. Yes",
      "^G Help",
      "你好",
      "\ud83d\udc69\u200d\ud83d\udcbb",
      "e\u0301\u0301\u0301",
    ],
  ],
  open: async () => {
    const packs = loadPacks();
    let screen = openTerminal({ cols: COLS, rows: ROWS });
    let state: ReaderState | undefined;
    let t = 1_700_000_000_000;
    return {
      read: async (input) => {
        // In two chunks, so that sequences and characters are cut; and many inputs on one terminal, as in a log.
        const cut = input.length >> 1;
        await screen.write(input.subarray(0, cut));
        await screen.write(input.subarray(cut));
        const look = screen.look();
        must(look.screen.rows.length <= ROWS, "a screen has no more rows than its terminal");
        must(
          look.screen.rows.every((row) => row.length <= COLS * 64),
          "a row of a screen is bounded",
        );
        t += 1000;
        const answer = read(state, { t, ...look }, packs, { zone: "UTC" });
        state = answer.state;
        JSON.stringify(answer);
        if (t % 64_000 !== 0) return;
        screen.drop();
        screen = openTerminal({ cols: COLS, rows: ROWS });
        state = undefined;
      },
      close: () => screen.drop(),
    };
  },
};
