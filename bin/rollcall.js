#!/usr/bin/env node
// `rollcall beat` is called thousands of times by hooks and cron: it gets a small bundle of its own.
import { existsSync } from "node:fs";

const entry = new URL(process.argv[2] === "beat" ? "../dist/beat.js" : "../dist/cli.js", import.meta.url);
if (existsSync(entry)) {
  await import(entry.href);
} else {
  console.error("rollcall: this checkout is not built yet; run `npm run build` (or `npm start`) in it first");
  process.exitCode = 1;
}
