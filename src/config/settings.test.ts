import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadConfig } from "./load.ts";
import { settingsOf } from "./settings.ts";

it("every setting says where it came from, and none tells a secret", async () => {
  const home = mkdtempSync(join(tmpdir(), "rollcall-settings-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const text =
    "defaults: { every: 1h30m }\ndaemon: { heartbeat: { ping: 'https://u:p@hc.example/ping/SECRET' } }\n";
  writeFileSync(join(home, "rollcall.yaml"), `${text}agents: [{ id: allegro }]\n`);
  const settings = await settingsOf(await loadConfig(home));
  const found = Object.fromEntries(settings.map(({ path, value, from }) => [path, `${value} ${from}`]));
  expect(found).toMatchObject({
    listen: "127.0.0.1:7766 default",
    autoRegister: "true default",
    "defaults.every": "1h30m file",
    "defaults.grace": "5m default",
    "policy.remind": "4h default",
    "daemon.heartbeat.ping": "https://hc.example/… file",
  });
  expect(JSON.stringify(settings)).not.toMatch(/SECRET|allegro|u:p/);
});
