// A small fleet in which a little of everything happens, to read names off what the product prints, serves, sends and writes.
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { partsOf } from "../../src/core/delivery/batch.ts";
import type { Message } from "../../src/core/delivery/message.ts";
import { cli, daemon, http, rollcall, runToEnd, temporaryHome, until } from "../product.ts";
import { type Ask, askAll, askHub, askOnce, tickPlaces, whatOthersWrote } from "./asking.ts";
import { commandLine } from "./commands.ts";
import { namesIn as anyNamesIn } from "./shape.ts";

/** Keys that this fleet gives to things of its own. */
const OWN = /^(allegro|adagio|largo|hook|deaf|full|search|step|\d{4}-\d\d)$/;
const namesIn = (value: unknown) => anyNamesIn(value, "", OWN);

const config = (out: string) => `livenessInterval: 200ms
channels:
  hook: { kind: command, argv: [/bin/sh, -c, "cat >> ${out}/told; echo >> ${out}/told"] }
  deaf: { kind: command, argv: [/bin/false] }
policy: { hold: 100ms, group: 100ms }
heartbeat: { actions: [{ name: full, every: 10m, command: { argv: [/bin/echo, full] } }] }
tick: { capabilities: { search: { command: "true" } } }
agents:
  - { id: allegro, every: 15m, grace: 5m }
  - { id: largo, schedule: "30 2 * * *", log: { path: ${out}/largo.log } }
  - id: adagio
    every: 15m
    recover: [{ do: restart, with: { command: ["/bin/true"] }, when: { states: [failing] }, budget: { times: 1 } }]
`;

export interface FleetNames {
  /** Fields of `--json`, by command; and which commands were asked. */
  readonly fields: readonly string[];
  readonly asked: ReadonlySet<string>;
  readonly files: readonly string[];
  readonly events: readonly string[];
  /** Fields of what a channel was sent. */
  readonly messages: readonly string[];
  readonly metrics: readonly string[];
  readonly openapi: unknown;
  readonly home: string;
}

export async function namesOfFleet(): Promise<FleetNames> {
  const out = whatOthersWrote();
  const home = temporaryHome(config(out));
  const env = { ROLLCALL_HOME: home, HOME: join(out, "user"), TMUX_TMPDIR: out, TMUX: "", EDITOR: "true" };
  const command = commandLine(env);
  const [fields, asked] = [[] as string[], new Set<string>()];
  const askWith =
    (note: string): Ask =>
    async (name, ...words) => {
      asked.add(name);
      const { said } = await command(...name.split(" "), ...words, "--json");
      if (!said.startsWith("{")) return undefined;
      const value = JSON.parse(said) as Readonly<Record<string, unknown>>;
      fields.push(...namesIn(value).map((field) => `${name}${note}: ${field}`));
      return value;
    };
  const told = () => readFileSync(join(out, "told"), "utf8").split("\n").filter(Boolean);

  // A damaged database, a broken beat and a crash leave traces that are shown later.
  writeFileSync(join(home, "rollcall.db"), "garbage");
  const first = await daemon(home, env);
  writeFileSync(join(home, "spool", "0123456789abcdef.json"), "{");
  await first.end("SIGKILL");
  const { url, end } = await daemon(home, env);
  const events = eventsOf(`${url}/api/v1/events`, readFileSync(join(home, "token"), "utf8").trim());
  const bodyOf = async (path: string) => (await http(`${url}/api/v1/${path}`)).body;

  await cli(home, "run", "allegro", "--", "/bin/sh", "-c", `"${process.execPath}" "${rollcall}" note step=1`);
  await cli(home, "beat", "adagio", "--status", "error", "--message", "no disk");
  await until(
    () => bodyOf("agents/adagio/recoveries"),
    (body) => body.includes('"dropped"'),
  );
  await until(
    () => bodyOf("deliveries?to=hook"),
    (body) => body.includes('"opened"'),
  );
  await until(
    () => bodyOf("deliveries?to=deaf"),
    (body) => body.includes('"problem":"'),
  );
  await askAll(askWith(""), out);
  await until(
    () => told().join(),
    (text) => text.includes("resolvedAt") && text.includes('"action":"full"'),
  );
  await until(events, (text) => text.includes("\nevent: removed\n") && text.includes("resolvedAt"));
  const metrics = namesOfMetrics((await http(`${url}/metrics`)).body);
  const openapi = JSON.parse(await bodyOf("openapi.json")) as unknown;
  const files = namesOfFiles(home);
  await end("SIGTERM");

  await askAll(askWith(" (no watcher)"), out);
  // So that there is something to mend, and an issue that cannot be filed.
  chmodSync(home, 0o755);
  await askOnce(askWith(""), out, home);
  const forge = { GITEA_URL: "http://127.0.0.1:1", GITEA_REPO: "org/fleet", GITEA_TOKEN: "none" };
  const report = ["tick", "check", "--check-and-report", "--month", "2025-04", ...tickPlaces(out)];
  await runToEnd(process.execPath, [rollcall, ...report], { ...env, ...forge });
  files.push(...namesOfFiles(home));
  const hub = await daemon(home, env, {}, ["--hub"]);
  const joined = temporaryHome();
  await askHub(askWith(""), joined);
  await hub.end("SIGTERM");
  files.push(...namesOfFiles(joined));
  const messages = told().flatMap((line) => {
    const sent = JSON.parse(line) as { readonly message: Message };
    // Those that were due at the same moment came as one.
    return partsOf(sent.message).flatMap((message) => namesIn({ ...sent, message }));
  });
  return { fields, asked, files, events: namesOfEvents(events()), messages, metrics, openapi, home };
}

/** Reads a stream of events from now on; the answer says what has come so far. */
function eventsOf(url: string, token: string): () => string {
  let said = "";
  const request = get(url, { headers: { authorization: `Bearer ${token}` } }, (response) => {
    response.on("data", (chunk) => {
      said += String(chunk);
    });
    response.on("error", () => {});
  });
  request.on("error", () => {});
  onTestFinished(() => void request.destroy());
  return () => said;
}

function namesOfEvents(text: string): string[] {
  return [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].flatMap(([, event = "", data = "null"]) => [
    event,
    ...namesIn(JSON.parse(data)).map((name) => `${event}: ${name}`),
  ]);
}

/** Each metric with its labels, as far as it has a value. */
function namesOfMetrics(text: string): string[] {
  const kinds = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => `${name} ${kind}`);
  const labels = [...text.matchAll(/^(\w+)\{(.*)\} /gm)].flatMap(([, name, inner = ""]) =>
    [...inner.matchAll(/(\w+)="/g)].map(([, label]) => `${name}{${label}}`),
  );
  return [...kinds, ...labels];
}

/** The files of a home, with the names in those that are JSON. */
function namesOfFiles(home: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const name = path
      .slice(home.length + 1)
      .replace(/-(wal|shm|journal)$/, "")
      .replace(/(allegro|adagio|largo|presto|rollcall@[\w-]+)(?=[.])/, "<agent>")
      .replace(/\d{8}T\d{6}Z|[0-9a-f-]{12,}/, "<id>");
    if (entry.isDirectory()) return [`${name}/`];
    if (!entry.isFile() || name.startsWith("logs/")) return [name];
    return [name, ...jsonIn(path).flatMap((value) => namesIn(value).map((field) => `${name}: ${field}`))];
  });
}

/** The JSON values in a file: itself, or its lines. Nothing of one that is gone by now. */
function jsonIn(path: string): unknown[] {
  try {
    const text = readFileSync(path, "utf8");
    if (path.endsWith(".json")) return [JSON.parse(text) as unknown];
    const lines = text.split("\n").filter((line) => /^\{.*\}$/.test(line));
    return lines.map((line) => JSON.parse(line) as unknown);
  } catch {
    return [];
  }
}
