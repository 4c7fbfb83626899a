// Agents that say something new slowly, that only turn, or that repeat themselves: in a real tmux, for longer than
// their limit.
import { describe, expect, it, vi } from "vitest";
import { agentOf, cli, daemon, temporaryHome, until } from "./product.ts";
import { config, flipsOf, hasTmux, isIn, tmux, whyNoTmux } from "./watching.ts";

// Real limits pass here, and on a busy machine everything else takes its time too.
vi.setConfig({ testTimeout: 90_000 });

/** The silence that a verdict tells of, in seconds. */
const silenceIn = (why = "") => Number(/ for (\d+) s;/.exec(why)?.[1] ?? 0);

function watched(command: string) {
  const { socket } = tmux(command);
  return temporaryHome(config(`  - { id: pane, tmux: { session: agent, socket: ${socket} }, stall: 10s }\n`));
}

const SPINNER =
  "i=0; while :; do for c in ⠋ ⠙ ⠹ ⠸ ⠼ ⠴; do " +
  'printf "\\r\\033[K%s Working… (%ss · esc to interrupt)" $c $((i / 5)); i=$((i + 1)); sleep 0.2; done; done';
const LOOP = "while :; do echo I will read the file again; echo It is not there; echo; sleep 0.3; done";
const SLOW =
  "for word in one two three four five six seven eight nine ten; do echo chapter $word is done; sleep 2; done; sleep 300";

describe.skipIf(!hasTmux)(`a tmux pane${whyNoTmux}`, () => {
  it("that says something new more slowly than we look, but within its limit, stays alive: no flip", async () => {
    const home = watched(SLOW);
    const { url } = await daemon(home);
    await isIn(url, "pane", "alive");
    const began = await flipsOf(home, "pane");
    // More than its limit passes, and most rounds see nothing new.
    const seen = await until(
      async () => ({ agent: await agentOf(url, "pane"), shown: await cli(home, "peek", "pane") }),
      ({ agent, shown }) => agent?.state !== "alive" || shown.stdout.includes("chapter eight"),
    );
    expect(seen.agent).toMatchObject({ state: "alive", reason: "working" });
    expect(await flipsOf(home, "pane")).toEqual(began);
  });

  it.each([
    { name: "only turns a spinner and counts seconds", command: SPINNER, reason: "spinning" },
    { name: "says the same again and again", command: LOOP, reason: "looping" },
  ])("that $name is stalled, and however long that lasts, it is one flip", async ({ command, reason }) => {
    const home = watched(command);
    const { url } = await daemon(home);
    await isIn(url, "pane", "alive");
    await isIn(url, "pane", "stalled");
    // Many rounds later, each of which saw the screen move.
    const later = await until(
      () => agentOf(url, "pane"),
      (agent) => agent?.state !== "stalled" || silenceIn(agent.why) >= 20,
    );
    expect(later).toMatchObject({ state: "stalled", reason, why: expect.stringContaining("10 s (fixed)") });
    const flips = await flipsOf(home, "pane");
    expect(flips.filter((to) => to === "stalled")).toEqual(["stalled"]);
    expect(flips[0]).toBe("stalled");
  });
});
