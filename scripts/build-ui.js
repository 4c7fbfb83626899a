// The dashboard: ui/ bundled into dist/ui with hashed names, and compressed once here instead of at each request.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "./setup.js";

const out = join(root, "dist", "ui");

export async function bundleUi() {
  rmSync(out, { recursive: true, force: true });
  const result = await build({
    absWorkingDir: root,
    entryPoints: { app: "ui/main.tsx", stream: "ui/api/stream-worker.ts", icon: "ui/icon.svg" },
    outdir: "dist/ui",
    entryNames: "assets/[name]-[hash]",
    chunkNames: "assets/[name]-[hash]",
    assetNames: "assets/[name]-[hash]",
    publicPath: "/",
    loader: { ".svg": "copy" },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: ["es2022", "chrome120", "firefox121", "safari17"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  const outputs = Object.entries(result.metafile.outputs);
  const made = (entry, end) => {
    const found = outputs.find(([path, { entryPoint }]) => entryPoint === entry && path.endsWith(end));
    if (found === undefined) throw new Error(`the build made no ${end} of ${entry}`);
    return found;
  };
  const [script, { cssBundle }] = made("ui/main.tsx", ".js");
  const [stream] = made("ui/api/stream-worker.ts", ".js");
  const names = { script, stream, style: cssBundle, icon: made("ui/icon.svg", ".svg")[0] };
  // All pieces are asked for at once, not each when another one names it.
  const preload = piecesOf(script, result.metafile.outputs)
    .map((path) => `<link rel="modulepreload" href="/${relative("dist/ui", path)}" />`)
    .join("\n    ");
  const page = readFileSync(join(root, "ui", "index.html"), "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) =>
    name === "preload" ? preload : relative("dist/ui", names[name]),
  );
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "index.html"), page);
  compress();
  return result;
}

/** The pieces that a script imports, and those that these import. */
function piecesOf(script, outputs, found = new Set()) {
  for (const { path, kind } of outputs[script]?.imports ?? []) {
    if (kind !== "import-statement" || found.has(path)) continue;
    found.add(path);
    piecesOf(path, outputs, found);
  }
  return [...found];
}

/** Writes a .br and a .gz beside each file. */
function compress() {
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const content = readFileSync(path);
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
}
