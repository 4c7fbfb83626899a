import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DaemonControl } from "../src/app/manager.ts";
import { incarnationOf } from "../src/system/proc.ts";
import { type Done, root, runToEnd, temporaryHome } from "./product.ts";
import { removeFolder } from "./remove-folder.ts";

const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { name: string };
/** Two compilations and a package take long on a machine with much else to do. */
const PATIENCE = 900_000;
const TSC = join(root, "node_modules/typescript-native/bin/tsc");

/** The programs of docs/embedding.md, each with what the page says that it prints. */
const programs = [
  ...readFileSync(join(root, "docs/embedding.md"), "utf8").matchAll(
    /```(ts|cts)\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g,
  ),
].map(([, kind = "", code = "", prints = ""], index) => ({ kind, code, prints, file: `docs-${index + 1}` }));

/** A folder outside of the repository with the packed package in it, under its own name and as `rollcall`. */
let outside = "";
let packed: readonly string[] = [];
/** What npm put into its node_modules. */
let installed: readonly string[] = [];

async function well(done: Promise<Done>): Promise<string> {
  const { status, stdout, stderr } = await done;
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  return stdout;
}

/** Runs a program there, with homes of its own. */
function run(...args: readonly string[]): Promise<Done> {
  const home = mkdtempSync(join(outside, "home-"));
  const env = { HOME: home, ROLLCALL_HOME: join(home, ".rollcall") };
  return runToEnd(process.execPath, ["--import", join(outside, "go-home.mjs"), ...args], env);
}

/** The PID files of daemons that programs there started and did not stop. */
function daemonsLeft(): readonly string[] {
  const homes = readdirSync(outside).filter((file) => file.startsWith("home-"));
  return homes
    .map((home) => join(outside, home, ".rollcall", "rollcall.pid"))
    .filter((file) => existsSync(file));
}

beforeAll(async () => {
  outside = mkdtempSync(join(tmpdir(), "rollcall-outside-"));
  const modules = join(outside, "node_modules");
  // The bundles are new in every run of the tests, the types are not.
  await well(runToEnd(process.execPath, [TSC, "-p", join(root, "tsconfig.types.json")]));
  const pack = ["pack", root, "--ignore-scripts", "--json", "--pack-destination", outside];
  const [{ filename, files }] = JSON.parse(await well(runToEnd("npm", pack))) as [
    { filename: string; files: { path: string }[] },
  ];
  packed = files.map(({ path }) => path);
  writeFileSync(join(outside, "package.json"), '{ "type": "module" }');
  // Offline: whatever the package needed besides itself would be missing.
  await well(runToEnd("npm", ["install", "--prefix", outside, "--offline", join(outside, filename)]));
  installed = readdirSync(modules).filter((entry) => !entry.startsWith("."));
  symlinkSync(join(modules, name), join(modules, "rollcall"));
  for (const needed of ["@types", "undici-types"])
    symlinkSync(join(root, "node_modules", needed), join(modules, needed));
  writeFileSync(join(outside, "go-home.mjs"), "process.chdir(process.env.HOME);\n");
  writeFileSync(join(outside, "program.ts"), readFileSync(join(root, "test/embedder/program.ts")));
  writeFileSync(join(outside, "example.ts"), readFileSync(join(root, "examples/embed.ts")));
  for (const { file, kind, code } of programs) writeFileSync(join(outside, `${file}.${kind}`), code);
  const sources = readdirSync(outside).filter((file) => /\.c?ts$/.test(file));
  const options = ["--strict", "--exactOptionalPropertyTypes", "--module", "nodenext", "--types", "node"];
  await well(
    runToEnd(process.execPath, [
      TSC,
      "--ignoreConfig",
      ...options,
      ...sources.map((file) => join(outside, file)),
    ]),
  );
}, PATIENCE);

afterAll(() => removeFolder(outside));

describe("a program outside of the repository, compiled with tsc --strict against the packed package", () => {
  it("C1, C6, C7: has its own interfaces served, and gets its messages through gateway.send", async () => {
    const { status, stdout, stderr } = await run(join(outside, "program.js"));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.trim().split("\n")).toEqual([
      "heartbeat: Found 1 new tasks matching your capabilities",
      "cron: me in s1",
      "pid file: true true",
      "removed: null false",
      "daemon: true true true true",
    ]);
    expect(daemonsLeft()).toEqual([]);
  });

  it("C1: schedules actions with a store of its own, as in examples/embed.ts", async () => {
    const { status, stdout, stderr } = await run(join(outside, "example.js"));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.trim().split("\n")).toEqual([
      "queue says: 2 new jobs",
      "queue: ran, told 1",
      "clock: ran, told 0",
      "stopped",
    ]);
  });

  it.each(programs.map((program) => [program.file, program] as const))(
    "C1, C6, C7: prints what docs/embedding.md says (%s)",
    async (_, { file, kind, prints }) => {
      const { status, stdout, stderr } = await run(join(outside, `${file}.${kind.replace("ts", "js")}`));
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: prints, stderr: "" });
    },
  );

  it.each(["", "/agent", "/session-log"])(
    "imports and requires %j under the published name",
    async (part) => {
      const script = `
      import { createRequire } from "node:module";
      const require = createRequire(${JSON.stringify(join(outside, "x.js"))});
      const [imported, required] = [await import(require.resolve("${name}${part}")), require("rollcall${part}")];
      console.log(Object.keys(imported).filter((key) => imported[key] === required[key]).length > 0);`;
      const { stdout, stderr } = await run("--input-type=module", "-e", script);
      expect({ stdout, stderr }).toEqual({ stdout: "true\n", stderr: "" });
    },
  );
});

describe("the packed package", () => {
  it("has the docs, the examples and the script that installs the service, and no test", () => {
    expect(packed).toEqual(
      expect.arrayContaining([
        ...["docs/embedding.md", "docs/install.md", "docs/agent-tick-protocol.md", "examples/embed.ts"],
        ...["scripts/install-systemd-service.sh", "README.md", "LICENSE", "dist/types/index.d.ts"],
      ]),
    );
    expect(packed.filter((path) => /^(src|test)\/|\.test\./.test(path))).toEqual([]);
  });

  it("installs without any other package, has SQLite for each platform, and takes less than 30 MB", () => {
    expect(installed).toEqual([name]);
    const binaries = packed.flatMap(
      (path) => /^dist\/prebuilds\/([^/]+)\/.*\.(\w+)\.node$/.exec(path)?.slice(1).join(" ") ?? [],
    );
    expect(binaries.sort()).toEqual([
      ...["darwin-arm64 glibc", "darwin-x64 glibc"],
      ...["linux-arm64 glibc", "linux-arm64 musl", "linux-x64 glibc", "linux-x64 musl"],
    ]);
    const folder = join(outside, "node_modules", name);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    expect(bytes).toBeLessThan(30_000_000);
  });

  it("has the licences of all packages in its bundles", () => {
    const dist = join(outside, "node_modules", name, "dist");
    const bundles = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) =>
      /\.c?js$/.test(file),
    );
    // The maps, which stay in the checkout, name the files that a bundle is made of, some by what those were made of. The page has
    // none, nor have the binaries.
    const sources = bundles.flatMap((file) => {
      const map = join(root, "dist", `${file}.map`);
      return existsSync(map) ? (JSON.parse(readFileSync(map, "utf8")) as { sources: string[] }).sources : [];
    });
    const bundled = sources
      .flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? [])
      .filter((module) => existsSync(join(root, "node_modules", module, "package.json")));
    const licences = readFileSync(join(dist, "THIRD-PARTY-LICENSES.txt"), "utf8");
    const licensed = [...licences.matchAll(/^(\S+) \d+\.\d+\.\d+\S* \(.+\)$/gm)].map(([, module]) => module);
    expect(licensed).toEqual(
      [...new Set([...bundled, "@xterm/headless", "preact", "uplot", "node-addon-api"])].sort(),
    );
  });

  it("C8: its script prints a unit that runs the installed package", async () => {
    const script = join(outside, "node_modules", name, "scripts/install-systemd-service.sh");
    const env = { HOME: outside, NODE: process.execPath };
    const printed = await well(runToEnd("sh", [script, "--user", "--print"], env));
    expect(printed).toContain(join(outside, "node_modules", name, "bin/rollcall.js"));
  });
});

describe("C7: a start that fails", () => {
  const processesOf = (home: string) =>
    readdirSync("/proc").filter((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(home);
        return isOurs && incarnationOf(Number(pid)) !== undefined;
      } catch {
        return false;
      }
    });

  it("because the daemon takes too long leaves no process behind", async () => {
    const home = temporaryHome();
    const start = new DaemonControl({ home, listen: "127.0.0.1:0" }).start(0);
    await expect(start).rejects.toThrow(/did not start: it was not ready within/);
    expect(processesOf(home)).toEqual([]);
  });

  it("because its second PID file cannot be written says so, and leaves no process behind", async () => {
    const home = temporaryHome();
    writeFileSync(join(home, "file"), "");
    const pidFile = join(home, "file", "gateway.pid");
    const start = new DaemonControl({ home, listen: "127.0.0.1:0", pidFile }).start();
    await expect(start).rejects.toThrow(`--pid-file ${pidFile}: cannot be written`);
    expect(processesOf(home)).toEqual([]);
  });
});
