import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "../../eval/record/clients.ts";
import { type FakeModel, fakeModel, type ModelEvent } from "../../eval/record/fake-model.ts";
import { agentOf, daemon, rollcall, runToEnd, temporaryHome } from "../product.ts";

/** By its client's own word, by its screen and the machine's facts, by its screen alone. */
export const MODES = ["hooks", "machine", "screen"] as const;
export type Mode = (typeof MODES)[number];

/** Codex asks about new hooks when it starts: trust all of them. */
const TRUST: Partial<Record<string, readonly string[]>> = {
  codex: ["2", "Enter"],
};

const TROUBLE = ["waiting", "limited", "stalled", "dead"];

/** A client in a pane of its own, which two watchers look at: one that its client tells, and one that only looks. */
export interface ClientStage {
  readonly client: Client;
  readonly model: FakeModel;
  readonly work: string;
  /** What was seen, in the order in which it was asked for. */
  readonly seen: Record<string, Partial<Record<Mode, string>>>;
  type(...keys: string[]): Promise<void>;
  /** Types an order; resolves with what the model did then, or with the present if it did nothing in time. */
  say(words: string, ev?: ModelEvent["ev"], within?: number): Promise<number>;
  happened(ev: ModelEvent["ev"], order: string, after: number, within: number): Promise<number>;
  /** Waits until each watcher shows one of these states, and notes how long after `from` that was. */
  see(what: string, states: readonly string[], from: number, within: number): Promise<void>;
  /** Notes what each watcher shows other than these states for as long as `ms`. */
  stays(what: string, states: readonly string[], ms: number): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  end(): Promise<void>;
}

export async function stageOf(
  name: string,
  client: Client,
  bin: string,
  isFree: boolean,
): Promise<ClientStage> {
  const told = temporaryHome("livenessInterval: 3s\n");
  const looking = temporaryHome(
    "livenessInterval: 3s\nagents:\n  - { id: machine, tmux: { session: agent } }\n  - { id: screen, tmux: { session: agent, machine: false } }\n",
  );
  const [user, work] = [join(told, "user"), join(told, "work")];
  for (const each of [user, work]) mkdirSync(each);
  const model = await fakeModel();
  const env = { ...client.prepare(user, work, model.url), ...(isFree && client.free?.env) };
  const own = { HOME: user, TMUX_TMPDIR: told };
  const watchers = [await daemon(told, own), await daemon(looking, own)] as const;
  const connected = await runToEnd(process.execPath, [rollcall, "connect", name], {
    ...own,
    ROLLCALL_HOME: told,
  });
  if (connected.status !== 0) throw new Error(connected.stderr);
  const tmux = (...args: string[]) =>
    execFileSync("tmux", args, { env: { ...process.env, ...own, ...env, TMUX: "" }, encoding: "utf8" });
  const args = [...(client.args ?? []), ...(isFree ? (client.free?.args ?? []) : [])];
  const program = [join(bin, client.program), ...args].join(" ");
  tmux("new-session", "-d", "-s", "agent", "-x", "130", "-y", "42", "-c", work, program);
  const pid = Number(tmux("list-panes", "-t", "agent", "-F", "#{pane_pid}"));
  const type = async (...keys: string[]) => {
    for (const key of keys) {
      tmux("send-keys", "-t", "agent", key);
      await wait(600);
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
  await wait(15_000);
  for (const key of client.first ?? []) {
    await type(key);
    await wait(4000);
  }
  await type(...(TRUST[name] ?? []));
  return {
    ...{ client, model, work, seen, type, happened },
    async say(words, ev = "request", within = 30) {
      const began = Date.now();
      await type("C-u", words, "Enter");
      return happened(ev, words, began, within);
    },
    async see(what, states, from, within) {
      const each = async (mode: Mode) => {
        const alarms = new Set<string>();
        let last = "none";
        for (const end = Date.now() + within * 1000; Date.now() < end; await wait(200)) {
          last = await stateIn(mode);
          if (isOne(last, states)) {
            const seconds = Math.max(0, (Date.now() - from) / 1000).toFixed(1);
            return note(what, mode, [`${last} ${seconds} s`, ...alarms].join(", before "));
          }
          if (isOne(last, TROUBLE)) alarms.add(last);
        }
        note(what, mode, `stays ${last}`);
      };
      await Promise.all(MODES.map(each));
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
