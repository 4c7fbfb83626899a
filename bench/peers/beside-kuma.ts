import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { openBrowser } from "../../test/dashboard/browser.ts";
import { startedIn } from "../beats-over-http.ts";
import { load, median } from "../load.ts";
import type { Result } from "../main.ts";
import { memoryOf } from "../process.ts";
import { compared, megabytes, milliseconds, seconds } from "./compared.ts";
import type { Installed } from "./installed.ts";
import { Kuma, tokenOf } from "./kuma.ts";
import { CountingProxy, type Opened } from "./opened.ts";

const MONITORS = 1000;
const CONNECTIONS = 10;
const ROUNDS = 3;
const PING_SECONDS = 3;
/** Long enough that no monitor is overdue while the pages are opened, in seconds. */
const CALM = 3600;
/** The shortest interval that Uptime Kuma has, in seconds. */
const SHORT = 20;
/** How long Uptime Kuma's first reports are counted after its restart. */
const COUNTED = 50_000;
/** How long both are down. */
const DOWN = 3000;

/** Uptime Kuma and a watcher, each with a thousand monitors that wait for pings. */
export async function besideKuma(peer: Installed, folder: string): Promise<Result[]> {
  const kuma = new Kuma(peer, folder);
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  configure(home, CALM);
  let ours = await startedIn(home);
  try {
    await kuma.start();
    const { token, close: signOut } = await kuma.signedIn();
    signOut();
    await kuma.kill();
    kuma.addMonitors(MONITORS, CALM);
    await kuma.start();
    const pages = await opened(kuma, token, { ...ours, home });
    const pings = await pinged(kuma, { ...ours, home });
    const memory = { ours: memoryOf(ours.child), theirs: memoryOf(kuma.daemon) };

    await Promise.all([kuma.kill(), killed(ours)]);
    kuma.setInterval(SHORT);
    configure(home, SHORT);
    await sleep(DOWN);
    const theirs = await kumaWatches(kuma);
    await kuma.kill();
    const began = performance.now();
    ours = await startedIn(home);
    const watched = await weWatch({ ...ours, home }, began);

    const many = MONITORS.toLocaleString("en");
    const row = { peer: "Uptime Kuma" };
    const kilobytes = (value: number) => `${Math.round(value / 1000).toLocaleString("en")} KB`;
    const page = (what: string, of: (opened: Opened) => number, say: (value: number) => string) =>
      compared({
        ...row,
        name: what,
        say,
        ours: median(pages.ours.map(of)),
        theirs: median(pages.theirs.map(of)),
      });
    return [
      compared({
        ...row,
        name: `pings a second, ${CONNECTIONS} connections, ${many} monitors`,
        ours: pings.ours,
        theirs: pings.theirs,
        say: (value) => `${Math.round(value).toLocaleString("en")}/s`,
        more: true,
      }),
      compared({ ...row, name: `memory with ${many} monitors`, ...memory, say: megabytes }),
      page(`page with ${many} monitors, first row visible`, (each) => each.row * 1000, milliseconds),
      page("… until its last byte", (each) => each.whole * 1000, milliseconds),
      page("… bytes", (each) => each.bytes, kilobytes),
      compared({
        ...row,
        name: `kill -9 and start, all of ${many} silent (${SHORT} s): first one reported`,
        ours: watched.first,
        theirs: theirs.first,
        say: seconds,
      }),
      compared({
        ...row,
        name: "… all reported",
        ours: watched.all,
        theirs: theirs.all,
        say: (value) => `${value.toFixed(0)} s`,
        note: ` (extrapolated: ${theirs.count} in ${COUNTED / 1000} s)`,
      }),
    ];
  } finally {
    ours.child.kill("SIGKILL");
    await kuma.kill();
  }
}

type Server = Awaited<ReturnType<typeof startedIn>>;
type Watched = Server & { readonly home: string };

/** The same agents, with another rule. */
function configure(home: string, every: number): void {
  const agents = Array.from({ length: MONITORS }, (_, index) => ({
    id: `agent-${index}`,
    every: `${every}s`,
    grace: "1s",
  }));
  writeFileSync(join(home, "rollcall.yaml"), JSON.stringify({ agents }));
}

async function killed({ child }: Server): Promise<void> {
  const gone = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await gone;
}

function rollcall(home: string, ...args: string[]): string {
  const bin = join(new URL("..", import.meta.url).pathname, "bin/rollcall.js");
  return execFileSync(process.execPath, [bin, ...args, "--home", home], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
}

/** Both are pinged in turn, as their clients do it. */
async function pinged(kuma: Kuma, ours: Watched): Promise<{ ours: number; theirs: number }> {
  const get = (path: string) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const { agents } = JSON.parse(rollcall(ours.home, "agents", "list", "--json")) as {
    agents: { id: string; pingUuid?: string }[];
  };
  const mine = agents
    .filter(({ id }) => id.startsWith("agent-"))
    .map(({ pingUuid }) => get(`/ping/${pingUuid}`));
  const theirs = Array.from({ length: MONITORS }, (_, index) =>
    get(`/api/push/${tokenOf(index)}?status=up&msg=OK&ping=`),
  );
  const rates: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.theirs.push(await load(kuma.url, CONNECTIONS, PING_SECONDS, theirs, 200));
    rates.ours.push(await load(ours.url, CONNECTIONS, PING_SECONDS, mine, 200));
  }
  return { ours: median(rates.ours), theirs: median(rates.theirs) };
}

/** Both pages are opened in turn, by browsers that are signed in. */
async function opened(
  kuma: Kuma,
  token: string,
  ours: Watched,
): Promise<{ ours: Opened[]; theirs: Opened[] }> {
  const proxies = { ours: new CountingProxy(ours.url), theirs: new CountingProxy(kuma.url) };
  const urls = { ours: await proxies.ours.listen(), theirs: await proxies.theirs.listen() };
  const { browser, close } = await openBrowser();
  const found: { ours: Opened[]; theirs: Opened[] } = { ours: [], theirs: [] };
  try {
    const cookies = await signedIn(browser, ours.home, urls.ours);
    const remembered = {
      cookies: [],
      origins: [{ origin: urls.theirs, localStorage: [{ name: "token", value: token }] }],
    };
    for (let round = 0; round < ROUNDS; round++) {
      found.theirs.push(
        await proxies.theirs.opened(browser, `${urls.theirs}/dashboard`, {
          row: ".monitor-list .item",
          storageState: remembered,
        }),
      );
      found.ours.push(
        await proxies.ours.opened(browser, urls.ours, { row: "[data-row]", storageState: cookies }),
      );
    }
    return found;
  } finally {
    await close();
    proxies.ours.close();
    proxies.theirs.close();
  }
}

/** What a browser remembers that opened the address of `rollcall open`. */
async function signedIn(browser: Browser, home: string, url: string) {
  const printed = new URL(rollcall(home, "open", "--print").trim());
  const context = await browser.newContext();
  const tab = await context.newPage();
  await tab.goto(`${url}${printed.pathname}${printed.search}`);
  await tab.locator("[data-row]").first().waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

/**
 * Starts Uptime Kuma and hears whom it reports as down. It begins to watch one monitor after the other, so the first minute shows its
 * pace.
 */
async function kumaWatches(kuma: Kuma): Promise<{ first: number; all: number; count: number }> {
  const began = performance.now();
  const reported = new Map<unknown, number>();
  await kuma.start();
  const { close } = await kuma.signedIn(({ monitorID, monitor_id, status }) => {
    const id = monitorID ?? monitor_id;
    if (status === 0 && !reported.has(id)) reported.set(id, (performance.now() - began) / 1000);
  });
  await sleep(began + COUNTED - performance.now());
  close();
  const times = [...reported.values()];
  const [first = Number.NaN, last = Number.NaN] = [times[0], times.at(-1)];
  const each = (last - first) / (times.length - 1);
  return { first, all: first + each * (MONITORS - 1), count: times.length };
}

/** The watcher has started again: when it reports the first agent as dead, and when all of them. */
async function weWatch({ url, home }: Watched, began: number): Promise<{ first: number; all: number }> {
  const token = readFileSync(join(home, "token"), "utf8").trim();
  let first = Number.POSITIVE_INFINITY;
  for (;;) {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const dead = Number(
      /^rollcall_agents\{[^}]*state="dead"[^}]*\} (\d+)/m.exec(await answer.text())?.[1] ?? 0,
    );
    const now = (performance.now() - began) / 1000;
    if (dead > 0) first = Math.min(first, now);
    if (dead >= MONITORS) return { first, all: now };
    if (now > 120) return { first, all: Number.POSITIVE_INFINITY };
    await sleep(100);
  }
}
