import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { defaultConfig, loadConfig, parseConfig } from "./load.ts";
import { settingsOf, withoutSecrets } from "./settings.ts";

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
  expect(JSON.stringify(settings)).not.toMatch(/SECRET|allegro|u:p|rulePacks/);
});

it("a config that is shown tells of each address only its host, and is still a valid config", async () => {
  const text = `
channels:
  far: { kind: webhook, url: "https://example.org/hook?token=SECRET", secretEnv: S }
  short: { kind: webhook, url: "https://example.org?token=SECRET", secretEnv: S }
store: { url: "postgres://roll:SECRET@db.example/rollcall" }
agents:
  - id: bot
    recover: [{ do: release, with: { webhook: "https://tasks.example.org/SECRET" } }]
    http: { url: "http://localhost:8080" }
`;
  const shown = JSON.stringify(
    withoutSecrets({ ...defaultConfig(), ...(await parseConfig(text, "x.yaml")) }),
  );
  expect(shown).not.toContain("SECRET");
  for (const address of [
    "https://example.org/…",
    "db.example",
    "https://tasks.example.org/…",
    "http://localhost:8080",
  ])
    expect(shown).toContain(address);
});
