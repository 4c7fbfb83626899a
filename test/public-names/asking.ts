// Every command that has `--json`, asked in a home in which it has something to print.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryHome } from "../product.ts";

type Json = Readonly<Record<string, unknown>>;
/** Runs a command with `--json`; undefined if it printed none. */
export type Ask = (command: string, ...words: readonly string[]) => Promise<Json | undefined>;

/** What other programs wrote, for the commands that read it. */
export function whatOthersWrote(): string {
  const out = temporaryHome();
  for (const folder of ["user/.claude/projects/-srv-x", "fleet/config", "fleet/ticks"])
    mkdirSync(join(out, folder), { recursive: true });
  const said = { type: "user", cwd: "/srv/x", message: { role: "user", content: "go" } };
  const allegro = { id: "allegro", name: "Allegro", active: true, home_dir: out, config_path: "largo.log" };
  const bot = { name: "bot", pm_exec_path: "/srv/bot.js", pm_cwd: "/srv", exec_interpreter: "node" };
  const api = { id: 1, name: "API", type: "http", url: "https://example.org", interval: 60 };
  const files = {
    "largo.log": "hello\n",
    "user/.claude/projects/-srv-x/s.jsonl": said,
    "fleet/config/agent-registry.json": { agents: [allegro] },
    "heartbeat_daemon.py": 'AGENT_NAME = "allegro"\n',
    "jobs.cron": "*/15 * * * * /srv/presto/run.sh\n",
    "dump.pm2": [{ ...bot, status: "online" }],
    "checks.json": { checks: [{ name: "Backup", slug: "backup", timeout: 3600, grace: 600 }] },
    "kuma.json": { monitorList: [api] },
    "every-action.yaml": `forge: { kind: gitea, url: "http://127.0.0.1:1", repo: org/fleet, tokenEnv: HOME }
tick: { registry: ${out}/fleet/config/agent-registry.json, ticks: ${out}/fleet/ticks }\n`,
  };
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(out, name), typeof content === "string" ? content : JSON.stringify(content));
  const crontab = `#!/bin/sh\ncase $1 in -l) cat "${out}/cron" 2>/dev/null ;; *) cat >"${out}/cron" ;; esac\n`;
  writeFileSync(join(out, "crontab"), crontab, { mode: 0o755 });
  return out;
}

/** The flags that say where the ticks are. */
export function tickPlaces(out: string): string[] {
  return ["--registry", join(out, "fleet/config/agent-registry.json"), "--ticks", join(out, "fleet/ticks")];
}

function tickPlacesFor(each: string, what: string, out: string): string[] {
  return each === "install" && what === "ticks" ? tickPlaces(out) : [];
}

/** In an order in which each finds something. It is asked with a watcher and without one: both must print the same names. */
export async function askAll(ask: Ask, out: string): Promise<void> {
  await ask("status");
  await ask("status", "adagio");
  for (const each of ["check", "explain", "beats", "flips", "recoveries"]) await ask(each, "adagio");
  await ask("cycles", "allegro");
  await ask("usage");
  for (const each of ["peek", "logs", "attach", "answer"]) await ask(each, "largo");
  await ask("wait", "allegro", "--for", "alive,failing,dead,late,unknown", "--timeout", "10s");
  const words = ["--cycle", "9", "--action", "sync", "--message", "hello", "--pid", String(process.pid)];
  await ask("beat", "allegro", ...words);
  await ask("work start", "allegro", "dig");
  const work = await ask("work start", "allegro", "dig deeper", "--check", "true");
  for (const each of ["work list", "agents list", "agents discover", "channels list"]) await ask(each);
  await ask("init", "--print");
  await ask("config edit");
  await ask("work done", idIn(work));
  await ask("connect", "codex");
  await ask("disconnect");

  const [incident] = listIn<{ id: string }>(await ask("incidents list", "--all"), "incidents");
  for (const each of ["show", "ack", "resolve"]) await ask(`incidents ${each}`, incident?.id ?? "");
  const silence = await ask("silence add", "--agent", "allegro", "--for", "2h");
  await ask("silence list");
  await ask("silence end", idIn(silence?.silence));
  const token = await ask("token create", "--scope", "read");
  await ask("token list");
  await ask("token revoke", idIn(token?.token));
  await ask("deliveries list");
  const [unsent] = listIn<{ key: string }>(await ask("deliveries list", "--to", "deaf"), "deliveries");
  await ask("deliveries retry", unsent?.key ?? "");

  await ask("actions run", "full");
  for (const each of ["list", "next"]) await ask(`actions ${each}`);
  for (const each of ["history", "disable", "enable"]) await ask(`actions ${each}`, "full");
  await ask("channels test", "hook");
  for (const each of ["config check", "config show", "daemon status", "daemon reload", "doctor"])
    await ask(each);
  await ask("open", "--print");
  await ask("tick submit", "--agent", "allegro", ...tickPlaces(out));
  await ask("tick check", "--dry-run", "--month", "2025-04", ...tickPlaces(out));
  for (const each of ["restart", "nudge", "wake"]) await ask(each, "adagio");
  await ask("agents add", "presto", "--every", "1h");
  for (const each of ["pause", "resume", "remove"]) await ask(`agents ${each}`, "presto");
}

/** What never asks the watcher. */
export async function askOnce(ask: Ask, out: string, home: string): Promise<void> {
  await ask(
    "store copy",
    "--from",
    `sqlite:${join(home, "rollcall.db")}`,
    "--to",
    `sqlite:${join(out, "copy.db")}`,
  );
  await ask("hubs list");
  const daemon = ["--home", join(out, "daemon"), "--listen", "127.0.0.1:0"];
  for (const each of ["start", "ensure", "restart"]) await ask(`daemon ${each}`, ...daemon);
  await ask("daemon stop", ...daemon.slice(0, 2));
  for (const each of ["install", "uninstall"]) {
    for (const what of ["cron", "ticks"])
      await ask(`${each} ${what}`, "--crontab", join(out, "crontab"), ...tickPlacesFor(each, what, out));
    await ask(`${each} systemd`, "--system", "--unit-dir", out, "--systemctl", "/bin/true");
  }
  await ask("doctor");
  await ask("doctor", "--fix");
  await ask("actions next", "--config", join(out, "every-action.yaml"));
  const sources = {
    "heartbeat-daemon": "heartbeat_daemon.py",
    "tick-scripts": "fleet",
    pm2: "dump.pm2",
    healthchecks: "checks.json",
    "uptime-kuma": "kuma.json",
    crontab: "jobs.cron",
  };
  for (const [kind, file] of Object.entries(sources))
    await ask(`import ${kind}`, join(out, file), "--crontab", "/bin/true");
}

function listIn<T>(answer: Json | undefined, key: string): readonly T[] {
  return (answer?.[key] ?? []) as readonly T[];
}

function idIn(made: unknown): string {
  return (made as { id?: string } | undefined)?.id ?? "";
}

/** What is asked of a hub. */
export async function askHub(ask: Ask, host: string): Promise<void> {
  const join = async (name: string) => {
    const invited = await ask("hosts invite", name);
    await ask("join", String(invited?.url), String(invited?.code), "--home", host);
  };
  await join("web0");
  await ask("leave", "--home", host);
  await join("web1");
  await ask("hosts list");
  await ask("hosts rename", "web1", "web2");
  await ask("hosts revoke", "web2");
}
