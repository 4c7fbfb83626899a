import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoreEvents } from "../home/store-events.ts";
import { up } from "./lifecycle.ts";

let home: string;

beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), "rollcall-damaged-")), "home");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "rollcall.db"), "no database at all ".repeat(500));
  const argv = ["/bin/sh", "-c", 'cat >> "$0"', join(home, "told")];
  writeFileSync(
    join(home, "rollcall.yaml"),
    JSON.stringify({ channels: { sink: { kind: "command", argv } } }),
  );
});

afterEach(() => rmSync(join(home, ".."), { recursive: true, force: true }));

const told = () => {
  try {
    return readFileSync(join(home, "told"), "utf8");
  } catch {
    return "";
  }
};

test("a watcher with a damaged database keeps it, tells people, and watches on with a new one", async () => {
  const watcher = await up({ home, listen: "127.0.0.1:0" });
  try {
    expect((await fetch(`${watcher.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${watcher.url}/beat/a`)).status).toBe(200);
    await expect.poll(told).toContain("store-damaged");
    const [aside] = readdirSync(home).filter((name) => /^rollcall\.db\.damaged-\d{8}T\d{6}Z$/.test(name));
    expect(readFileSync(join(home, aside as string), "utf8")).toContain("no database at all");
    expect(new StoreEvents(home).open()).toMatchObject([{ code: "store-damaged" }]);
  } finally {
    await watcher.stop();
  }
});

test("with --strict it tells people and ends, and nothing is moved", async () => {
  await expect(up({ home, listen: "127.0.0.1:0", strict: true })).rejects.toThrow("damaged");
  expect(told()).toContain("could not start");
  expect(readFileSync(join(home, "rollcall.db"), "utf8")).toContain("no database at all");
});
