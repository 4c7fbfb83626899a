import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startedIn } from "../beats-over-http.ts";
import { median } from "../load.ts";
import type { Result } from "../main.ts";
import { memoryOf } from "../process.ts";
import { compared, megabytes, milliseconds, seconds } from "./compared.ts";
import { type Installed, Unavailable } from "./installed.ts";

const CHILDREN = 20;
const LISTS = 15;
const KILLS = 5;
/** Between two looks whether a killed child is back. */
const LOOK = 5;
/** A child that is not back after this long does not come back. */
const PATIENCE = 20_000;
/** What a start leaves behind is collected within this. */
const SETTLES = 5000;

/** PM2 and a watcher, each with the same twenty programs, which write their pid into a file and sleep. */
export async function besidePm2(pm2: Installed, folder: string): Promise<Result[]> {
  const [theirs, ours] = [new Pm2(pm2, join(folder, "theirs")), new Ours(join(folder, "ours"))];
  try {
    theirs.start();
    await ours.start("1s");
    await Promise.all([theirs, ours].map(({ crew }) => crew.settled()));
    await sleep(SETTLES);
    const peer = "PM2";
    const memory = compared({
      name: `memory of the daemon with ${CHILDREN} programs`,
      ...{ peer, ours: memoryOf(ours.daemon), theirs: memoryOf(theirs.daemon), say: megabytes },
    });
    const lists = listed(ours, theirs);
    const quick = await killed(ours, theirs, 1000);
    await ours.again("10s");
    const usual = await killed(ours, theirs, 10_000);
    return [
      compared({
        name: `rollcall status against pm2 list, ${CHILDREN} of each, whole process`,
        ...{ peer, ours: lists.ours, theirs: lists.theirs, say: milliseconds },
      }),
      memory,
      compared({
        name: "a killed program is back, livenessInterval 1s",
        ...{ peer, ours: quick.ours, theirs: quick.theirs, say: seconds },
      }),
      compared({
        name: "the same, livenessInterval 10s (the default)",
        ...{ peer, ours: usual.ours, theirs: usual.theirs, say: seconds },
      }),
      ...(await daemonKilled(ours, theirs)),
    ];
  } finally {
    ours.end();
    theirs.end();
  }
}

/** Programs that each write their pid into a file of this folder. */
class Crew {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  fileOf(index: number): string {
    return join(this.folder, `${index}.pid`);
  }

  /** What starts one of them: the same for both. */
  script(index: number): string {
    return `echo $$ > ${this.fileOf(index)}.new; mv ${this.fileOf(index)}.new ${this.fileOf(index)}; exec sleep 100000`;
  }

  /** The pid of one of them that lives, or 0. */
  pid(index: number): number {
    try {
      const pid = Number(readFileSync(this.fileOf(index), "utf8"));
      return isAlive(pid) ? pid : 0;
    } catch {
      return 0;
    }
  }

  pids(): number[] {
    return Array.from({ length: CHILDREN }, (_, index) => this.pid(index)).filter((pid) => pid !== 0);
  }

  async settled(): Promise<void> {
    const until = performance.now() + PATIENCE;
    while (this.pids().length < CHILDREN) {
      if (performance.now() > until) throw new Unavailable("the programs did not start");
      await sleep(LOOK);
    }
  }

  /** Kills one; how many seconds until it is back, or infinity. */
  async killed(index: number): Promise<number> {
    const before = this.pid(index);
    const began = performance.now();
    process.kill(before, "SIGKILL");
    while (performance.now() - began < PATIENCE) {
      await sleep(LOOK);
      const now = this.pid(index);
      if (now !== 0 && now !== before) return (performance.now() - began) / 1000;
    }
    return Number.POSITIVE_INFINITY;
  }

  end(): void {
    for (const pid of this.pids()) process.kill(pid, "SIGKILL");
  }
}

/** A zombie is not alive: its parent has only not looked yet. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !["Z", "X"].includes(stat[stat.lastIndexOf(")") + 2] ?? "");
  } catch {
    return false;
  }
}

class Pm2 {
  readonly crew: Crew;
  readonly #home: string;
  readonly #bin: string;

  constructor({ folder }: Installed, at: string) {
    this.crew = new Crew(join(at, "crew"));
    this.#home = join(at, "home");
    this.#bin = join(folder, "bin/pm2");
  }

  get daemon(): Pick<ChildProcess, "pid"> {
    return { pid: Number(readFileSync(join(this.#home, "pm2.pid"), "utf8")) };
  }

  start(): void {
    const apps = Array.from({ length: CHILDREN }, (_, index) => ({
      name: `w-${index}`,
      script: "/bin/sh",
      args: ["-c", this.crew.script(index)],
      interpreter: "none",
    }));
    const file = join(this.crew.folder, "apps.json");
    writeFileSync(file, JSON.stringify({ apps }));
    this.run("start", file);
  }

  run(...args: string[]): string {
    const env = { ...process.env, PM2_HOME: this.#home, NO_COLOR: "1" };
    const { status, stdout, stderr } = spawnSync(process.execPath, [this.#bin, ...args], {
      env,
      encoding: "utf8",
    });
    if (status !== 0) throw new Unavailable(`pm2 ${args[0]} failed: ${stderr.trim().split("\n")[0] ?? ""}`);
    return stdout;
  }

  /** How many programs its list names. */
  listed(): number {
    return this.run("list").match(/\bw-\d+\b/g)?.length ?? 0;
  }

  end(): void {
    try {
      this.run("kill");
    } catch {
      // It is not there any more.
    }
    this.crew.end();
  }
}

class Ours {
  readonly crew: Crew;
  readonly #home: string;
  #child: ChildProcess | undefined;

  constructor(at: string) {
    this.crew = new Crew(join(at, "crew"));
    this.#home = join(at, "home");
    mkdirSync(this.#home, { mode: 0o700 });
  }

  get daemon(): ChildProcess {
    if (this.#child === undefined) throw new Error("no watcher was started");
    return this.#child;
  }

  /** The programs are nobody's children: what the watcher starts again lives on without it. */
  async start(livenessInterval: string): Promise<void> {
    for (let index = 0; index < CHILDREN; index++)
      spawn("sh", ["-c", this.crew.script(index)], { detached: true, stdio: "ignore" }).unref();
    await this.crew.settled();
    await this.again(livenessInterval);
  }

  /** With this config, after an orderly end if it runs. */
  async again(livenessInterval: string): Promise<void> {
    await this.ended("SIGTERM");
    const agents = Array.from({ length: CHILDREN }, (_, index) => ({
      id: `w-${index}`,
      process: { pidFile: this.crew.fileOf(index) },
      recover: [{ do: "restart", with: { command: ["sh", "-c", this.crew.script(index)] } }],
    }));
    // JSON is YAML.
    writeFileSync(join(this.#home, "rollcall.yaml"), JSON.stringify({ livenessInterval, agents }));
    const { child } = await startedIn(this.#home);
    child.stdout?.resume();
    this.#child = child;
  }

  async ended(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill(signal);
    await gone;
  }

  status(): string {
    const bin = join(new URL("..", import.meta.url).pathname, "bin/rollcall.js");
    return execFileSync(process.execPath, [bin, "status", "--home", this.#home], { encoding: "utf8" });
  }

  /** How many programs its roll names. */
  listed(): number {
    return new Set(this.status().match(/\bw-\d+\b/g)).size;
  }

  end(): void {
    this.#child?.kill("SIGKILL");
    this.crew.end();
  }
}

interface Pair {
  readonly ours: number;
  readonly theirs: number;
}

/** The lists are asked for in turn, each once uncounted. */
function listed(ours: Ours, theirs: Pm2): Pair {
  const times: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  for (let round = 0; round <= LISTS; round++) {
    for (const [whose, list] of [
      ["ours", () => ours.listed()],
      ["theirs", () => theirs.listed()],
    ] as const) {
      const began = performance.now();
      const count = list();
      if (count !== CHILDREN) throw new Error(`a list names ${count} programs of ${CHILDREN}`);
      if (round > 0) times[whose].push(performance.now() - began);
    }
  }
  return { ours: median(times.ours), theirs: median(times.theirs) };
}

/** One program after the other is killed, of both in turn, each at another moment between two looks of the watcher. */
async function killed(ours: Ours, theirs: Pm2, interval: number): Promise<Pair> {
  const found: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  for (let index = 0; index < KILLS; index++) {
    found.theirs.push(await theirs.crew.killed(index));
    await sleep((index * interval) / KILLS);
    found.ours.push(await ours.crew.killed(index));
  }
  return { ours: median(found.ours), theirs: median(found.theirs) };
}

/** Both daemons are killed and started again: what became of the programs and of the list. */
async function daemonKilled(ours: Ours, theirs: Pm2): Promise<Result[]> {
  theirs.run("save");
  const before = { ours: ours.crew.pids(), theirs: theirs.crew.pids() };
  const survivors = (pids: readonly number[]) => pids.filter(isAlive);
  process.kill(theirs.daemon.pid ?? 0, "SIGKILL");
  await ours.ended("SIGKILL");
  const listed = { ours: ours.listed(), theirs: theirs.listed() };
  const alive = { ours: survivors(before.ours).length, theirs: survivors(before.theirs).length };
  await ours.again("1s");
  const last = CHILDREN - 1;
  const [back, theirsBack] = await Promise.all([ours.crew.killed(last), theirs.crew.killed(last)]);
  theirs.run("resurrect");
  await theirs.crew.settled();
  const runs = {
    ours: new Set([...survivors(before.ours), ...ours.crew.pids()]).size,
    theirs: new Set([...survivors(before.theirs), ...theirs.crew.pids()]).size,
  };
  // Nobody else remembers them.
  for (const pid of survivors(before.theirs)) process.kill(pid, "SIGKILL");
  const row = (
    name: string,
    pair: Pair,
    say: (value: number) => string,
    worth: (value: number) => number,
  ) => ({
    name,
    ours: say(pair.ours),
    baseline: `${say(pair.theirs)} PM2`,
    ratio: null,
    aim: ["PM2 is ahead", "equal", "ahead"][1 + Math.sign(worth(pair.ours) - worth(pair.theirs))] ?? "",
  });
  const of = (count: number) => `${count} of ${CHILDREN}`;
  const backIn = (value: number) => (Number.isFinite(value) ? seconds(value) : `not in ${PATIENCE / 1000} s`);
  return [
    row("kill -9 of the daemon: its programs live on", alive, of, (count) => count),
    row("… and are in the next list", listed, of, (count) => count),
    row(
      "… and one that is killed after the daemon's restart is back",
      { ours: back, theirs: theirsBack },
      backIn,
      (time) => (Number.isFinite(time) ? 1 : 0),
    ),
    row(
      "… and run after the daemon's restart; of PM2 with `pm2 resurrect`",
      runs,
      (count) => `${count}`,
      (count) => -Math.abs(count - CHILDREN),
    ),
  ];
}
