// The command line in dist/: `cli.cjs` with what short commands need, in one file that loads quickly, `watch.cjs` with the
// watcher, and `more.cjs` with all other commands, of which only what is needed runs. `beat.cjs` stands alone.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";
import { defaultsAsData } from "./defaults-as-data.js";
import { root } from "./setup.js";

/** What `cli.cjs` holds of the modules that are imported when they are needed. */
const QUICK = new RegExp(
  `^src/(?:${[
    "cli/commands/(?:status|check|explain|peek|agents|history|incidents|actions|deliveries|silence|token|note|open|hosts|steps|wait|answer)",
    "cli/(?:beat|complete|output/(?:roll|kept-list))",
    "service/(?:remote|offline)",
    "home/(?:home|store)",
    "store/sqlite/(?:database|thread)",
    "store/memory/memory",
    "watch/incident-desk",
  ].join("|")})\\.ts$`,
);

/** What `watch.cjs` holds of them. */
const WATCHER = ["src/cli/commands/up.ts", "src/app/lifecycle.ts"];

/** esbuild puts a module that is imported dynamically into a CommonJS bundle as a whole: this leaves it to the others. */
function leaveToOthers(isHere, files = new Set()) {
  return {
    name: "leave-to-others",
    setup(build) {
      build.onResolve({ filter: /^\.\.?\// }, ({ kind, path, resolveDir }) => {
        const file = relative(root, resolve(resolveDir, path));
        if (kind !== "dynamic-import" || isHere(file)) return undefined;
        if (WATCHER.includes(file)) return { path: `watch:${file}`, external: true };
        files.add(file);
        return { path: `more:${file}`, external: true };
      });
    },
  };
}

/** The bundles' code is a function, so that nothing of it is global and V8 keeps what it compiled. */
const wrapped = {
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  define: { "import.meta.url": "__bundleUrl" },
  banner: {
    js: '(function (require, __filename, __loadModule) { "use strict"; const module = { exports: {} }, exports = module.exports; const __bundleUrl = require("node:url").pathToFileURL(__filename).href; const __import = (name) => __loadModule(name.startsWith(".") ? new URL(name, __bundleUrl).href : name);',
  },
  footer: { js: "return module.exports; })" },
};

/** A script with compiled code from before cannot import modules itself (Node 20), so that its loader does. */
function importByLoader(outputFiles) {
  for (const { path, text, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      path.endsWith(".cjs") ? inAscii(text.replaceAll(/\bimport\(/g, "__import(")) : contents,
    );
  }
}

/** One other character makes V8 keep two bytes for each. esbuild leaves them in regular expressions, where an escape says the same. */
function inAscii(text) {
  return text.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Builds all four, and answers what esbuild told. */
export async function bundleCli(options) {
  const files = new Set();
  const common = { ...options, ...wrapped, write: false };
  const plugins = [...options.plugins, defaultsAsData];
  const quick = await build({
    ...common,
    plugins: [...plugins, leaveToOthers((file) => QUICK.test(file), files)],
    entryPoints: { cli: "src/cli/main.ts", beat: "src/cli/beat.ts" },
  });
  const larger = async (name, held, isHere) => {
    const lines = held.map((file) => `${JSON.stringify(`${name}:${file}`)}: () => import("./${file}")`);
    return await build({
      ...common,
      plugins: [...plugins, leaveToOthers(isHere)],
      stdin: {
        contents: `export const load = { ${lines.join(",\n")} };`,
        resolveDir: root,
        sourcefile: `${name}.js`,
      },
      outdir: undefined,
      outExtension: undefined,
      outfile: join(options.outdir, `${name}.cjs`),
    });
  };
  const all = [
    quick,
    await larger("more", [...files], (file) => !WATCHER.includes(file)),
    await larger("watch", WATCHER, () => true),
  ];
  importByLoader(all.flatMap(({ outputFiles }) => outputFiles));
  return all.map(({ metafile }) => metafile);
}

const said = (program, ...args) => spawnSync(program, args, { encoding: "utf8" }).stdout;

/** The list of commands, so that the help need not load them. */
export function writeList(outdir) {
  const file = join(outdir, "commands.json");
  rmSync(file, { force: true });
  writeFileSync(file, said(process.execPath, join(root, "bin", "rollcall.js"), "__list"));
}

/** The manual pages, made from the help. */
export function writeManual(outdir) {
  mkdirSync(join(outdir, "man"), { recursive: true });
  const place = (name, text) => writeFileSync(join(outdir, "man", name), text);
  place("rollcall.1", said(process.execPath, join(root, "bin", "rollcall.js"), "__man"));
  const help = said(join(root, "bin", "rollcall-beat"), "--help")
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-");
  const head = ".TH ROLLCALL-BEAT 1\n.SH NAME\nrollcall-beat \\- sends one beat of an agent, without Node\n";
  place("rollcall-beat.1", `${head}.SH DESCRIPTION\n.nf\n${help}.fi\n.SH SEE ALSO\nrollcall(1)\n`);
}

/** Commands that stand for the others: what they run is compiled once and for all. */
const TYPICAL = [
  ["check", "allegro"],
  ["status"],
  ["agents", "add", "allegro", "--every", "15m"],
  ["agents", "list"],
  ["check", "allegro", "--json"],
  ["status"],
  ["incidents"],
  ["config", "check"],
  ["doctor"],
  ["--help"],
];

/** The same for commands that are given while the watcher runs. */
const WATCHED = [
  ["status"],
  ["run", "allegro", "--", "true"],
  ["daemon", "status"],
  ["daemon", "reload"],
  ["daemon", "stop"],
];

/** Lets V8 keep the compiled code of the watcher and of these commands: each run adds to what the one before it kept. */
export async function compileCli() {
  const home = mkdtempSync(join(tmpdir(), "rollcall-build-"));
  const compile = join(root, "scripts", "compile-cli.cjs");
  const env = { ...process.env, HOME: home, ROLLCALL_HOME: home }; // No command may reach the home of the person who builds.
  const run = (args) => spawnSync(process.execPath, [compile, ...args], { env });
  const watch = async (script) => {
    const args = [script, "up", "--listen", "127.0.0.1:0"];
    const watcher = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
    const ended = once(watcher, "exit");
    await Promise.race([once(watcher.stdout, "data"), ended]);
    return async () => {
      watcher.kill();
      await ended;
    };
  };
  try {
    run(["beat", "allegro", "--action", "build"]);
    await (await watch(compile))();
    const end = await watch(join(root, "bin", "rollcall.js"));
    for (const args of WATCHED) run(args);
    await end();
    for (const args of TYPICAL) run(args);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
