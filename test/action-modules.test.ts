import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, daemon, temporaryHome, until } from "./product.ts";

const config = (more = "") => `heartbeat: { actions: [
  { name: mine, every: 1h, module: mine.mjs, config: { greeting: hello } }${more} ] }`;
const greeter = (greeting: string) =>
  `export default { description: "greets", execute: async () => ({ shouldNotify: true, message: "${greeting}" }) };`;
const FACTORY = `setInterval(() => {}, 1000); // must keep no command alive
export default async ({ greeting }) => ({
  execute: async ({ session: { memory } }) => {
    const count = (memory.get("count") ?? 0) + 1;
    memory.set("count", count);
    return { shouldNotify: true, message: greeting + " " + count };
  },
});`;

/** What may stand in the file, and what is said of it after its name. */
const BAD: readonly [string, string | undefined, string][] = [
  ["that is not there", undefined, ": there is no such file"],
  [
    "with a syntax error",
    "export default {\n  execute: async () => {{\n};",
    " cannot be loaded: Unexpected end of input; see: node --check /",
  ],
  ["that throws", 'const a = 1;\nthrow new Error("no key\\nat all");', ":2 cannot be loaded: no key"],
  ["that throws nothing sensible", "throw null;", " cannot be loaded: null"],
  [
    "whose factory throws",
    'export default () => { throw new Error("no greeting"); };',
    ":1 cannot be loaded: no greeting",
  ],
  [
    "that needs what is not there",
    'import "not-a-package-at-all";',
    " cannot be loaded: Cannot find package",
  ],
  [
    "without a default export",
    "export const execute = 1;",
    ": its default export is undefined; expected an action",
  ],
  ["that makes null", "export default () => null;", ": its default export is null; expected an action"],
  [
    "without a function",
    "export default { execute: 1 };",
    ": its default export is object; expected an action",
  ],
];

describe("bad modules", () => {
  it("are named all at once by config check, which ends although another one keeps a timer; up watches without them", async () => {
    const name = (index: number) => `bad${index}`;
    const declared = BAD.map((_, n) => `, { name: ${name(n)}, every: 1h, module: ${name(n)}.mjs }`).join("");
    const late = ', { name: late, every: 1h, timeout: 90d, webhook: { url: "http://localhost/" } }';
    const home = temporaryHome(config(declared + late));
    writeFileSync(join(home, "mine.mjs"), FACTORY);
    for (const [n, [, text]] of BAD.entries()) {
      if (text !== undefined) writeFileSync(join(home, `${name(n)}.mjs`), text);
    }
    const checked = await cli(home, "config", "check");
    expect(checked.status).toBe(1);
    expect(checked.stderr.trim().split("\n")).toEqual([
      ...BAD.map(([, , problem], n) =>
        expect.stringContaining(`rollcall: action ${name(n)}: ${join(home, name(n))}.mjs${problem}`),
      ),
      "rollcall: action late: timeout is 7776000000; expected milliseconds, from 1 to 24 days",
    ]);

    writeFileSync(join(home, "rollcall.yaml"), config(declared));
    const running = await daemon(home);
    const missing = await cli(home, "actions", "run", name(0));
    expect(missing).toMatchObject({ status: 1, stdout: expect.stringContaining("there is no such file") });
    writeFileSync(join(home, `${name(0)}.mjs`), FACTORY);
    expect((await cli(home, "actions", "run", name(0))).stdout).toMatch(/^bad0: done: /);
    await running.end("SIGTERM");
  });

  it("are no matter to whoever only reads: that loads nobody's code", async () => {
    const home = temporaryHome(config());
    expect((await cli(home, "actions", "history", "mine")).stdout).toBe("No run of mine is on record.\n");
    expect((await cli(home, "actions", "history", "mien")).stderr).toBe(
      'rollcall: there is no action "mien"; did you mean "mine"?\n',
    );
  });
});

describe("a module that is right", () => {
  it("is made from its config, keeps its memory over a restart, and is read again when it was mended", async () => {
    const home = temporaryHome(config());
    const file = join(home, "mine.mjs");
    writeFileSync(file, FACTORY);
    expect(await cli(home, "config", "check")).toMatchObject({ status: 0, stderr: "" });
    const first = await daemon(home);
    const run = async () => (await cli(home, "actions", "run", "mine")).stdout;
    expect(await run()).toBe("mine: done: hello 1\n");
    expect(await first.end("SIGTERM")).toBe(0);

    const second = await daemon(home);
    expect(await run()).toBe("mine: done: hello 2\n");
    const reload = async (says: string) => {
      const before = second.said().length;
      second.child.kill("SIGHUP");
      await until(
        () => second.said().slice(before),
        (said) => said.includes(says),
      );
      return second.said().slice(before);
    };
    const kept = "the old one stays in force";
    writeFileSync(file, "export default {");
    expect(await reload(kept)).toContain(`action mine: ${file} cannot be loaded: Unexpected end of input`);
    expect(await run()).toBe("mine: done: hello 3\n");

    // Not even what is right beside it comes into force.
    writeFileSync(join(home, "rollcall.yaml"), config(", { name: other, every: 1h, module: other.mjs }"));
    expect(await reload(kept)).toContain(`action other: ${home}/other.mjs: there is no such file`);
    expect((await cli(home, "actions", "run", "other")).stderr).toContain('there is no action "other"');
    expect(await run()).toBe("mine: done: hello 4\n");

    writeFileSync(file, greeter("mended"));
    writeFileSync(join(home, "other.mjs"), greeter("other"));
    await reload("it is in force");
    expect(await run()).toBe("mine: done: mended\n");
    expect((await cli(home, "actions", "run", "other")).stdout).toBe("other: done: other\n");
    expect(await second.end("SIGTERM")).toBe(0);
  });
});

describe("a module that throws where nobody can catch it", () => {
  it("ends the daemon with 70; the cause is on record once, and the next daemon shows it", async () => {
    const home = temporaryHome(config());
    writeFileSync(
      join(home, "mine.mjs"),
      'export default { execute: async () => { setTimeout(() => { throw new Error("far out"); }); return { shouldNotify: false }; } };',
    );
    const running = await daemon(home);
    const gone = once(running.child, "exit");
    await cli(home, "actions", "run", "mine");
    expect(await gone).toEqual([70, null]);
    expect(running.said()).toContain("rollcall: crashed: Error: far out\n");
    const next = await daemon(home);
    const { lastCrash } = JSON.parse((await cli(home, "daemon", "status", "--json")).stdout);
    expect(lastCrash).toMatchObject({ cause: "Error: far out", incarnation: { pid: running.child.pid } });
    expect(readFileSync(join(home, "crashes.jsonl"), "utf8").trim().split("\n")).toHaveLength(1);
    await next.end("SIGTERM");
  });
});

describe("a run that somebody waits for", () => {
  const endless = `heartbeat: { actions: [ { name: slow, every: 1h, timeout: 10m, command: { argv: [sleep, "600"] } } ] }`;

  it("shows that it goes on, and does not keep the daemon from stopping", async () => {
    const home = temporaryHome(endless);
    const running = await daemon(home);
    const waiting = cli(home, "actions", "run", "slow");
    await slowRuns(home);
    expect((await cli(home, "actions", "run", "slow")).stdout).toBe("slow: skipped: overlap\n");
    expect(await running.end("SIGTERM")).toBe(0);
    expect(await waiting).toMatchObject({ status: 1, stdout: "slow: failed: stopped\n" });
  });

  it("ends with a word if the daemon dies", async () => {
    const home = temporaryHome(endless);
    const running = await daemon(home);
    const waiting = cli(home, "actions", "run", "slow");
    await slowRuns(home);
    await running.end("SIGKILL");
    const { status, stderr } = await waiting;
    expect({ status, last: stderr.trim().split("\n").at(-1) }).toEqual({
      status: 1,
      last: `rollcall: the watcher at ${running.url} stopped before it answered`,
    });
  });

  const slowRuns = (home: string) =>
    until(
      async () => JSON.parse((await cli(home, "actions", "list", "--json")).stdout).actions[0].running,
      (isRunning) => isRunning === true,
    );
});
