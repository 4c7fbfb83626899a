// Agents that fall are brought back, and those that must not be touched are not: with a real daemon, tmux and processes.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startWork } from "../src/agent/work.ts";
import { agentOf, cli, daemon, http, rollcall, temporaryHome, until } from "./product.ts";
import { hasTmux, isIn, tmux, whyNoTmux } from "./watching.ts";

interface Step {
  readonly step: string;
  readonly state: string;
  readonly why: string;
}

const stepsOf = async (url: string, id: string) => {
  const answer = await http(`${url}/api/v1/agents/${id}/recoveries`);
  return answer.json().recoveries as readonly Step[];
};

const linesIn = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);

/** A home whose daemon tells a file, and one agent in a pane of a tmux server of its own. */
function fallible(command: (home: string) => string, recover: string) {
  const home = temporaryHome();
  const script = join(home, "agent.sh");
  writeFileSync(script, command(home));
  const pane = tmux(`exec sh ${script}`);
  const told = join(home, "told.jsonl");
  writeFileSync(
    join(home, "rollcall.yaml"),
    `livenessInterval: 200ms
channels: { out: { kind: command, argv: [/bin/sh, -c, "cat >> ${told}; echo >> ${told}"] } }
policy: { hold: 100ms, group: 100ms }
agents:
  - { id: bot, tmux: { session: agent, socket: "${pane.socket}" }, recover: [${recover}] }
`,
  );
  return { home, pane, told };
}

const QUICK = "backoff: { first: 100ms, longest: 200ms }";

describe.runIf(hasTmux)(`an agent in tmux${whyNoTmux}`, () => {
  it("that crashes is back, with its last cycle handed over", async () => {
    const { home } = fallible(
      (place) => `export ROLLCALL_HOME=${place}
exec ${process.execPath} ${rollcall} run bot -- sh -c 'echo "recovering \${ROLLCALL_RECOVERING:-0} $$ $PPID" >> ${place}/lives; exec sleep 600'
`,
      "{ do: restart, with: { respawn: true }, backoff: { first: 5s, longest: 5s } }",
    );
    const lives = join(home, "lives");
    const { url } = await daemon(home);
    await until(
      () => linesIn(lives).length,
      (count) => count === 1,
    );
    await isIn(url, "bot", "alive");
    // All of it at once, as when the power goes: nobody is left to say how the cycle ended.
    const [, , agent = "", wrapper = ""] = linesIn(lives)[0]?.split(" ") ?? [];
    process.kill(Number(wrapper), "SIGKILL");
    process.kill(Number(agent), "SIGKILL");
    await until(
      () => linesIn(lives).length,
      (count) => count === 2,
    );
    expect(linesIn(lives).map((line) => line.split(" ")[1])).toEqual(["0", "1"]);
    await isIn(url, "bot", "alive");
    const done = (await stepsOf(url, "bot")).filter(({ state }) => state === "done");
    expect(done).toMatchObject([{ step: "restart" }]);
    for (const pid of linesIn(lives)[1]?.split(" ").slice(2).reverse() ?? [])
      process.kill(Number(pid), "SIGKILL");
  });

  it("that crashes again and again is left down after three restarts, and a person is told so once", async () => {
    const { home, told } = fallible(
      (place) => `echo life >> ${place}/lives; exit 3\n`,
      // Long enough for a look at each life, also on a busy machine: else it gives up before it has seen the last one.
      "{ do: restart, with: { respawn: true }, backoff: { first: 3s, longest: 3s } }",
    );
    const { url } = await daemon(home);
    // A message that came twice, because its command was ended too late, has one key.
    const leftDown = () => {
      const saying = linesIn(told).filter((line) => line.includes("gave up"));
      return [...new Set(saying.map((line) => (JSON.parse(line) as { key: string }).key))];
    };
    await until(leftDown, (keys) => keys.length > 0);
    // Some more rounds change nothing.
    const lives = linesIn(join(home, "lives")).length;
    expect(lives).toBeLessThanOrEqual(4);
    await new Promise((done) => setTimeout(done, 2000));
    // On a busy machine the message that it died leaves so late that it says this too.
    const later = leftDown().filter((key) => !key.includes(":opened-"));
    expect(later.length, leftDown().join(", ")).toBeLessThanOrEqual(1);
    expect(linesIn(join(home, "lives"))).toHaveLength(lives);
    await isIn(url, "bot", "dead");
    const taken = (await stepsOf(url, "bot")).filter(({ state }) => state === "done");
    expect(taken).toHaveLength(3);
  });

  it("whose pane is gone cannot be respawned: nothing is said to be restarted, and what to change is", async () => {
    const { home, pane, told } = fallible(
      () => "exec sleep 600\n",
      `{ do: restart, with: { respawn: true }, ${QUICK} }`,
    );
    const { url } = await daemon(home);
    await isIn(url, "bot", "alive");
    pane.kill();
    const leftDown = () => linesIn(told).filter((line) => line.includes("gave up"));
    const [line = ""] = await until(leftDown, (lines) => lines.length > 0);
    expect(line).toContain("3 restarts failed");
    expect(line).toContain("a respawn cannot create one");
    expect(line).not.toContain("restarted 3 times");
    const { stdout } = await cli(home, "explain", "bot");
    expect(stdout.replace(/\s+/g, " ")).toContain("a respawn cannot create one");
  });

  it("at a permission prompt is never touched", async () => {
    const { home, pane } = fallible(
      (place) => `echo $$ >> ${place}/lives
printf 'Overwrite the branch? [y/N] '; read answer; echo "$answer" > ${place}/answered; exec sleep 600
`,
      `{ do: nudge, text: "y", when: { states: [waiting, stalled] } }, { do: restart, with: { respawn: true }, kill: true, when: { states: [waiting, stalled, dead] }, ${QUICK} }`,
    );
    const { url } = await daemon(home);
    await isIn(url, "bot", "waiting");
    await new Promise((done) => setTimeout(done, 3000));
    expect(await agentOf(url, "bot")).toMatchObject({ state: "waiting" });
    expect(existsSync(join(home, "answered"))).toBe(false);
    expect(linesIn(join(home, "lives"))).toHaveLength(1);
    const acted = (await stepsOf(url, "bot")).filter(({ state }) => state !== "dropped");
    expect(acted).toEqual([]);
    pane.kill();
  });
});

describe.runIf(hasTmux)(`work whose tmux session never existed${whyNoTmux}`, () => {
  it.each([
    { name: "recorded while we watch", restarted: false },
    { name: "found after a restart of the watcher", restarted: true },
  ])("B5: is released once: $name", async ({ restarted }) => {
    const home = temporaryHome();
    const released = join(home, "released");
    writeFileSync(
      join(home, "rollcall.yaml"),
      `livenessInterval: 200ms
agents:
  - id: bot
    tmux: { session: never, socket: rollcall-test-${process.pid}-none }
    recover:
      - { do: release, with: { command: "echo $ROLLCALL_AGENT $ROLLCALL_REASON >> ${released}" }, when: { reasons: [orphan] } }
`,
    );
    const first = await daemon(home);
    await isIn(first.url, "bot", "unknown");
    if (restarted) await first.end("SIGKILL");
    // On record for a minute: long enough for a session to have started.
    const work = startWork("bot", "review 7", home);
    const startedAt = new Date(Date.parse(work.startedAt) - 60_000).toISOString();
    writeFileSync(
      join(home, "work", `${work.id}.json`),
      JSON.stringify({ ...work, startedAt, updatedAt: startedAt }),
    );
    const { url } = restarted ? await daemon(home) : first;
    expect(await isIn(url, "bot", "dead")).toMatchObject({
      reason: "orphan",
      why: expect.stringContaining("but tmux session never does not exist"),
    });
    await until(
      () => stepsOf(url, "bot"),
      (steps) => steps.some(({ state }) => state === "done"),
    );
    expect(linesIn(released)).toEqual(["bot orphan"]);
    expect((await cli(home, "work", "list")).stdout).toMatch(/review 7 \(released (just now|.+ ago)\)/);
    await cli(home, "work", "update", work.id);
    expect((await cli(home, "work", "list")).stdout).toMatch(/review 7$/m);
    await cli(home, "work", "done", work.id);
    await isIn(url, "bot", "unknown");
  });
});
