// Agents that say something new slowly, that only turn, or that repeat themselves: in a real tmux, for longer than
// their limit.
import { describe, expect, it } from "vitest";
import { agentOf, cli, daemon, temporaryHome, until } from "./product.ts";
import { config, flipsOf, hasTmux, isIn, tmux, whyNoTmux } from "./watching.ts";

/** The silence that a verdict tells of, in seconds. */
const silenceIn = (why = "") => Number(/ for (\d+) s;/.exec(why)?.[1] ?? 0);

function watched(command: string, stall: string) {
  const { socket } = tmux(command);
  return temporaryHome(
    config(`  - { id: pane, tmux: { session: agent, socket: ${socket} }, stall: ${stall} }\n`),
  );
}

const SPINNER =
  "i=0; while :; do for c in ⠋ ⠙ ⠹ ⠸ ⠼ ⠴; do " +
  'printf "\\r\\033[K%s Working… (%ss · esc to interrupt)" $c $((i / 5)); i=$((i + 1)); sleep 0.2; done; done';
const LOOP = "while :; do echo I will read the file again; echo It is not there; echo; sleep 0.3; done";
const WORDS = "one two three four five six seven eight nine ten";
/** It goes on for as long as the slowest machine may take to look. */
const SLOW = `for part in ${WORDS}; do for word in ${WORDS}; do echo part $part, chapter $word is done; sleep 2; done; done`;
const chapters = (screen: string) => screen.match(/chapter \w+ is done/g)?.length ?? 0;

describe.skipIf(!hasTmux)(`a tmux pane${whyNoTmux}`, () => {
  it("that says something new more slowly than we look, but within its limit, stays alive: no flip", async () => {
    const home = watched(SLOW, "10s");
    const { url } = await daemon(home);
    await isIn(url, "pane", "alive");
    const began = await flipsOf(home, "pane");
    // More than its limit passes, and most rounds see nothing new.
    const seen = await until(
      async () => ({ agent: await agentOf(url, "pane"), shown: await cli(home, "peek", "pane") }),
      ({ agent, shown }) => agent?.state !== "alive" || chapters(shown.stdout) >= 8,
    );
    expect(seen.agent).toMatchObject({ state: "alive", reason: "working" });
    expect(await flipsOf(home, "pane")).toEqual(began);
  });

  it.each([
    { name: "only turns a spinner and counts seconds", command: SPINNER, reason: "spinning" },
    { name: "says the same again and again", command: LOOP, reason: "looping" },
  ])(
    "B9: that $name is stalled, and however long that lasts, it is one flip",
    async ({ command, reason }) => {
      // On a busy machine a screen may be read seconds late: the limit is longer than that.
      const home = watched(command, "15s");
      const { url } = await daemon(home);
      await isIn(url, "pane", "stalled");
      // Many rounds later, each of which saw the screen move.
      const later = await until(
        () => agentOf(url, "pane"),
        (agent) => agent?.state !== "stalled" || silenceIn(agent.why) >= 22,
      );
      expect(later).toMatchObject({ state: "stalled", reason, why: expect.stringContaining("15 s (fixed)") });
      const flips = await flipsOf(home, "pane");
      expect(flips.filter((to) => to === "stalled")).toEqual(["stalled"]);
      expect(flips[0]).toBe("stalled");
    },
  );
});
