import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import {
  checkProgram,
  checkReachableByAll,
  lastingCommand,
  lastingPath,
  stableNode,
  thisProgram,
} from "./program.ts";

const root = mkdtempSync(join(tmpdir(), "rollcall-program-"));
afterAll(() => rmSync(root, { recursive: true }));

function file(path: string, mode = 0o755): string {
  const whole = join(root, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, "#!/bin/sh\n", { mode });
  chmodSync(whole, mode);
  return whole;
}

describe("node is named by a path that stays", () => {
  test("the real path, where a version manager has links for each shell", () => {
    const real = file("fnm/node-versions/v20.20.2/installation/bin/node");
    mkdirSync(join(root, "run/fnm_multishells"), { recursive: true });
    symlinkSync(join(root, "fnm/node-versions/v20.20.2/installation"), join(root, "run/fnm_multishells/1_2"));
    expect(stableNode(join(root, "run/fnm_multishells/1_2/bin/node"))).toBe(real);
  });

  test("the link that is kept, where the real path changes with each update", () => {
    const real = file("brew/Cellar/node/20.20.2/bin/node");
    expect(stableNode(real)).toBe(real);
    mkdirSync(join(root, "brew/opt"));
    symlinkSync("../Cellar/node/20.20.2", join(root, "brew/opt/node"));
    expect(stableNode(real)).toBe(join(root, "brew/opt/node/bin/node"));
  });
});

describe("the program that runs", () => {
  test("is found from the sources and from the bundle, and can be executed", () => {
    const { node, script } = thisProgram();
    expect(existsSync(node)).toBe(true);
    expect(script).toMatch(/\/bin\/rollcall\.js$/);
    expect(() => checkProgram({ node, script })).not.toThrow();
    const installed = file("lib/node_modules/rollcall/bin/rollcall.js");
    const bundle = pathToFileURL(file("lib/node_modules/rollcall/dist/cli.js")).href;
    expect(thisProgram(process.execPath, bundle).script).toBe(installed);
  });

  test("is refused in the cache of npx", () => {
    file(".npm/_npx/ab12/node_modules/rollcall/bin/rollcall.js");
    const bundle = pathToFileURL(file(".npm/_npx/ab12/node_modules/rollcall/dist/cli.js")).href;
    expect(() => thisProgram(process.execPath, bundle)).toThrow("npm install -g rollcall");
  });

  test.each([
    ["does not exist", () => join(root, "nowhere")],
    ["is not a file", () => root],
    ["cannot be executed; make it so: chmod +x", () => file("plain", 0o644)],
    ["is not an absolute path", () => "bin/rollcall.js"],
    ["newline", () => "/a\nb"],
  ])("is refused if it %s", (words, script) => {
    const act = () => checkProgram({ node: process.execPath, script: script() });
    expect(act).toThrow(words);
  });

  test("must be reachable by everybody for a template", () => {
    const path = file("open/closed/node");
    for (const folder of ["", "open", "open/closed"]) chmodSync(join(root, folder), 0o755);
    expect(() => checkReachableByAll({ node: path, script: path })).not.toThrow();
    chmodSync(join(root, "open"), 0o700);
    expect(() => checkReachableByAll({ node: path, script: path })).toThrow(`${root}/open is closed to them`);
  });
});

describe("the PATH of a service", () => {
  test("has what lasts, once, and the folder of node", () => {
    const node = file("own/bin/node");
    const short = [
      file("run/fnm_multishells/9_9/bin/x"),
      file("p/node_modules/.bin/x"),
      file(".npm/_npx/1/node_modules/.bin/x"),
    ];
    const path = ["/usr/bin", ...short.map(dirname), ".", "", "bin", join(root, "gone"), "/usr/bin", "/bin"];
    expect(lastingPath(path.join(":"), { node, script: "" })).toBe(`/usr/bin:/bin:${dirname(node)}`);
  });

  test("is the usual one where there is none", () => {
    expect(lastingPath(undefined, { node: "/usr/bin/node", script: "" })).toContain("/usr/bin");
  });
});

describe("the command of a wake", () => {
  test("is kept if its program is on the PATH", () => {
    expect(lastingCommand(["sh", "./x"], "/nowhere:/bin")).toEqual(["sh", "./x"]);
  });

  test("gets an absolute program, because cron starts elsewhere", () => {
    const script = file("agents/allegro.sh");
    const relative = script.slice(1);
    expect(lastingCommand([`${"../".repeat(20)}${relative}`, "-x"], "/bin")).toEqual([script, "-x"]);
  });

  test.each([
    ["a name that is not on the PATH", "no-such-program", 'no program "no-such-program" on /bin'],
    ["a file that is not there", "/no/such/file", "does not exist"],
    ["nothing", "", 'no program ""'],
  ])("is refused: %s", (_, name, words) => expect(() => lastingCommand([name], "/bin")).toThrow(words));
});
