import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { agentOf, cli, daemon, http, temporaryHome, until } from "./product.ts";

/** A small disk of its own, or undefined where we may not mount one. */
function smallDisk(folder: string): string | undefined {
  mkdirSync(folder, { mode: 0o700 });
  const mount = ["-t", "tmpfs", "-o", "size=2m,mode=0700", "tmpfs", folder];
  if (spawnSync("mount", mount).status !== 0) return undefined;
  onTestFinished(() => {
    spawnSync("umount", ["--lazy", folder]);
  });
  return folder;
}

function fill(file: string): void {
  try {
    writeFileSync(file, Buffer.alloc(4 * 1024 * 1024));
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
  }
}

it("a watcher that finds its disk full tells people, and begins when there is room", async (context) => {
  const outside = temporaryHome();
  const home = smallDisk(join(outside, "home"));
  if (home === undefined) return context.skip("only root may mount a disk");
  const told = join(outside, "told");
  const argv = ["/bin/sh", "-c", 'cat >> "$0"', told];
  writeFileSync(
    join(home, "rollcall.yaml"),
    JSON.stringify({ channels: { people: { kind: "command", argv } } }),
  );
  const before = await daemon(home);
  await http(`${before.url}/beat/allegro?cycle=3`);
  await before.end("SIGTERM");

  const filler = join(home, "filler");
  fill(filler);
  const starting = daemon(home);
  await until(
    () => existsSync(told) && readFileSync(told, "utf8"),
    (text) => text !== false && text.includes("it waits for room on the disk and then begins"),
  );
  rmSync(filler);
  const { url } = await starting;
  expect((await http(`${url}/healthz`)).status).toBe(200);
  expect(await agentOf(url, "allegro")).toMatchObject({ cycle: 3 });
});

it("a restart is refused on a full disk, and the watcher that runs goes on", async (context) => {
  const home = smallDisk(join(temporaryHome(), "home"));
  if (home === undefined) return context.skip("only root may mount a disk");
  const { url } = await daemon(home);
  const filler = join(home, "filler");
  fill(filler);
  const refused = await cli(home, "daemon", "restart");
  expect(refused).toMatchObject({ status: 1, stdout: "" });
  expect(refused.stderr).toMatch(/not restarted; the daemon that runs goes on:\n.*is full.*make room/);
  expect((await cli(home, "daemon", "status")).stdout).toContain(url);
  rmSync(filler);
  expect((await http(`${url}/healthz`)).status).toBe(200);
  expect(readdirSync(home).filter((name) => name.startsWith("room."))).toEqual([]);
});
