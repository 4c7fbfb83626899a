import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "../../eval/record/clients.ts";
import { type FakeModel, fakeModel, type ModelEvent } from "../../eval/record/fake-model.ts";
import { agentOf, daemon, rollcall, runToEnd, temporaryHome } from "../product.ts";

/** By its client's own word, by its screen and the machine's facts, by its screen alone. */
export const MODES = ["hooks", "machine", "screen"] as const;
export type Mode = (typeof MODES)[number];

/** Codex asks about new hooks soon after it has drawn its prompt: trust all of them. */
const TRUST: Partial<Record<string, { readonly asks: string; readonly keys: readonly string[] }>> = {
  codex: { asks: "2. Trust all and continue", keys: ["2", "Enter"] },
};

/** The pane stays when its program has ended, so that tmux knows how. */
const KEEPS = [";", "set-option", "-g", "remain-on-exit", "on"];

/** Claude Code tries ten times by itself, for minutes. */
const FEWER_ATTEMPTS = { CLAUDE_CODE_MAX_RETRIES: "3" };

const TROUBLE = ["waiting", "limited", "stalled", "dead"];

/** A client in a pane of its own, which two watchers look at: one that its client tells, and one that only looks. */
export interface ClientStage {
  readonly client: Client;
  readonly model: FakeModel;
  readonly work: string;
  /** What was seen, in the order in which it was asked for. */
  readonly seen: Record<string, Partial<Record<Mode, string>>>;
  type(...keys: string[]): Promise<void>;
  /** Keys that belong together, one right after the other. */
  press(keys: readonly string[]): Promise<void>;
  /** Types an order; resolves with what the model did then, or with the present if it did nothing in time. */
  say(words: string, ev?: ModelEvent["ev"], within?: number): Promise<number>;
  happened(ev: ModelEvent["ev"], order: string, after: number, within: number): Promise<number>;
  /** Waits until each watcher shows one of these states, after one of the `first` ones, and notes how long after `from` that was. */
  see(
    what: string,
    states: readonly string[],
    from: number | (() => number),
    within: number,
    first?: readonly string[],
  ): Promise<Partial<Record<Mode, number>>>;
  /** Notes what each watcher shows other than these states for as long as `ms`. */
  stays(what: string, states: readonly string[], ms: number): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  end(): Promise<void>;
}

export async function stageOf(
  name: string,
  client: Client,
  bin: string,
  scene: string,
): Promise<ClientStage> {
  const isFree = scene === "loop";
  const told = temporaryHome("livenessInterval: 3s\n");
  const looking = temporaryHome(
    "livenessInterval: 3s\nagents:\n  - { id: machine, tmux: { session: agent } }\n  - { id: screen, tmux: { session: agent, machine: false } }\n",
  );
  const [user, work] = [join(told, "user"), join(told, "work")];
  for (const each of [user, work]) mkdirSync(each);
  const model = await fakeModel();
  const env = {
    ...FEWER_ATTEMPTS,
    ...client.prepare(user, work, model.url),
    ...(isFree && client.free?.env),
  };
  const own = { HOME: user, TMUX_TMPDIR: told };
  const watchers = [await daemon(told, own), await daemon(looking, own)] as const;
  const connected = await runToEnd(process.execPath, [rollcall, "connect", name], {
    ...own,
    ROLLCALL_HOME: told,
  });
  if (connected.status !== 0) throw new Error(connected.stderr);
  const trace = process.env.ROLLCALL_TRACE;
  const tap = trace === undefined ? undefined : await tapOf(told, watchers[0].url);
  const tmux = (...args: string[]) =>
    execFileSync("tmux", args, { env: { ...process.env, ...own, ...env, TMUX: "" }, encoding: "utf8" });
  const args = [...(client.args ?? []), ...(isFree ? (client.free?.args ?? []) : [])];
  const program = [join(bin, client.program), ...args].join(" ");
  tmux("new-session", "-d", "-s", "agent", "-x", "130", "-y", "42", "-c", work, program, ...KEEPS);
  const pid = Number(tmux("list-panes", "-t", "agent", "-F", "#{pane_pid}"));
  const type = async (...keys: string[]) => {
    for (const key of keys) {
      tmux("send-keys", "-t", "agent", key);
      await wait(600);
    }
  };
  const press = async (keys: readonly string[]) => {
    for (const key of keys) {
      tmux("send-keys", "-t", "agent", key);
      await wait(250);
    }
  };
  const screen = () => {
    try {
      return tmux("capture-pane", "-p", "-t", "agent").trimEnd();
    } catch {
      return "";
    }
  };
  const traced = new Map<string, string>();
  const look = async () => {
    if (trace === undefined) return;
    const put = (of: string, now: string) => {
      if (traced.get(of) === now) return;
      traced.set(of, now);
      appendFileSync(
        join(trace, `${name}.${scene}.jsonl`),
        `${JSON.stringify({ at: Date.now(), of, now })}\n`,
      );
    };
    for (const [index, line] of (tap?.events ?? []).entries()) put(`hook ${index}`, line);
    for (const [index, event] of model.events.entries()) put(`model ${index}`, JSON.stringify(event));
    put("pane", screen());
    for (const mode of MODES) put(mode, await stateIn(mode));
  };
  const isShown = (words: string) =>
    screen().replaceAll(/\s/g, "").includes(words.replaceAll(" ", "").slice(-12));
  /** The client has drawn something, and draws no more. */
  const settled = async () => {
    let [last, since] = ["", Date.now()];
    for (const end = since + 30_000; Date.now() < end && Date.now() < since + 3000; await wait(200)) {
      const drawn = screen();
      if (drawn !== last || drawn === "") [last, since] = [drawn, Date.now()];
    }
  };
  const stateIn = async (mode: Mode) => {
    const [url, id] = mode === "hooks" ? [watchers[0].url, "agent"] : [watchers[1].url, mode];
    const agent = await agentOf(url, id).catch(() => undefined);
    return agent === undefined ? "none" : `${agent.state} (${agent.reason})`;
  };
  const seen: ClientStage["seen"] = {};
  const note = (what: string, mode: Mode, words: string) => {
    seen[what] = { ...seen[what], [mode]: words };
  };
  const isOne = (state: string, states: readonly string[]) => states.some((one) => state.startsWith(one));
  const happened: ClientStage["happened"] = async (ev, order, after, within) => {
    for (const end = Date.now() + within * 1000; Date.now() < end; await wait(50)) {
      const event = model.events.find((one) => one.at >= after && one.ev === ev && one.order === order);
      if (event !== undefined) return event.at;
    }
    return Date.now();
  };
  const looks = setInterval(() => void look(), 500);
  await settled();
  for (const key of client.first ?? []) {
    await type(key);
    await settled();
  }
  const trust = TRUST[name];
  if (trust !== undefined) {
    const isAsked = () => screen().includes(trust.asks);
    for (let i = 0; i < 200 && !isAsked(); i += 1) await wait(200);
    for (const key of trust.keys) {
      await settled();
      if (isAsked()) await type(key);
    }
    await settled();
  }
  return {
    ...{ client, model, work, seen, type, press, happened },
    async say(words, ev = "request", within = 30) {
      const began = Date.now();
      // What is typed while the client is not ready is lost in part: it is typed again until it stands there.
      for (let i = 0; i === 0 || (i < 4 && !isShown(words)); i += 1) {
        await type("C-u", words);
        for (let j = 0; j < 20 && !isShown(words); j += 1) await wait(100);
      }
      await type("Enter");
      return happened(ev, words, began, within);
    },
    async see(what, states, from, within, first = []) {
      const moments: Partial<Record<Mode, number>> = {};
      const each = async (mode: Mode) => {
        const alarms = new Set<string>();
        let last = "none";
        let isBegun = first.length === 0;
        for (const end = Date.now() + within * 1000; Date.now() < end; await wait(200)) {
          last = await stateIn(mode);
          isBegun ||= isOne(last, [...first, ...TROUBLE]);
          if (isBegun && isOne(last, states)) {
            moments[mode] = Date.now();
            const began = typeof from === "number" ? from : from();
            const seconds = Math.max(0, (Date.now() - began) / 1000).toFixed(1);
            return note(what, mode, [`${last} ${seconds} s`, ...alarms].join(", before "));
          }
          if (isOne(last, TROUBLE)) alarms.add(last);
        }
        note(what, mode, `stays ${last}`);
      };
      await Promise.all(MODES.map(each));
      return moments;
    },
    async stays(what, states, ms) {
      const each = async (mode: Mode) => {
        const began = Date.now();
        let others = "";
        for (let last = ""; Date.now() < began + ms; await wait(500)) {
          const state = await stateIn(mode);
          if (state === last) continue;
          last = state;
          if (!isOne(state, states))
            others += `, ${state} from ${Math.round((Date.now() - began) / 1000)} s on`;
        }
        note(what, mode, others === "" ? `stays ${states.join(" or ")}` : others.slice(2));
      };
      await Promise.all(MODES.map(each));
    },
    kill: (signal) => void process.kill(pid, signal),
    async end() {
      clearInterval(looks);
      if (trace !== undefined)
        cpSync(user, join(trace, `${name}.${scene}.files`), {
          recursive: true,
          filter: (file) =>
            !file.includes("node_modules") &&
            (!/\.\w+$/.test(file) || file.endsWith(".jsonl") || statSync(file).isDirectory()) &&
            !/\/(?:packages|cache|\.cache|bin|tmp)(?:\/|$)/.test(file.slice(user.length)),
        });
      tap?.close();
      model.close();
      try {
        tmux("kill-server");
      } catch {
        // Its only program has ended, and so has the server.
      }
      for (const watcher of watchers) await watcher.end("SIGKILL");
      // Codex leaves a server of its own behind, started from its home.
      const left = spawnSync("pgrep", ["-f", `^${user}/`], { encoding: "utf8" }).stdout.split("\n");
      for (const one of left.filter(Boolean)) process.kill(Number(one), "SIGKILL");
    },
  };
}

/** Stands between the client's hooks and the watcher, and keeps what they say. */
async function tapOf(home: string, url: string) {
  const events: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      events.push(JSON.stringify({ at: Date.now(), url: request.url, body }));
      const headers = {
        "content-type": "application/json",
        authorization: String(request.headers.authorization),
      };
      fetch(`${url}${request.url}`, { method: "POST", headers, body }).then(
        ({ status }) => response.writeHead(status).end(),
        () => response.writeHead(502).end(),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const file of ["hook", "watcher.json"]) {
    const path = join(home, "connect", file);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(url, own));
  }
  return { events, close: () => server.close() };
}
