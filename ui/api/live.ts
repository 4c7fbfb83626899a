import { now } from "../clock.ts";
import { Observable } from "../observable.ts";
import { Problem, read } from "./ask.ts";
import { sessions, signedIn, signIn } from "./session.ts";
import type { AgentView, RollAnswer, StripsAnswer, WatcherView } from "./shapes.ts";
import { type Strip, stripsOf, withState } from "./strips.ts";

/** An agent with when we heard what we show of it: its sentence speaks of that moment. */
export interface Known {
  readonly agent: AgentView;
  readonly heardAt: number;
}

export interface Roll {
  readonly agents: ReadonlyMap<string, Known>;
  readonly strips: ReadonlyMap<string, Strip>;
  readonly watcher: WatcherView | undefined;
}

export type Link =
  | { readonly is: "loading" }
  | { readonly is: "live" }
  /** The watcher answers, but shows nothing before somebody signs in. */
  | { readonly is: "locked" }
  /** `since`: when we last had word of the watcher. */
  | { readonly is: "down"; readonly since: number; readonly problem: string };

const NOTHING: Roll = { agents: new Map(), strips: new Map(), watcher: undefined };
export const roll = new Observable<Roll>(NOTHING);
export const link = new Observable<Link>({ is: "loading" });
/** Grows with everything that happens besides the roll: a page that shows such things reads them again. */
export const news = new Observable(0);

/** Events about anything but the roll; of these only that they happened is of interest. Unknown ones are ignored. */
const NEWS = ["incidents", "deliveries", "silences", "recoveries", "runs"] as const;
const REDRAW = 200;
const ASK_EVERY = 20_000;
const LONGEST_PAUSE = 15_000;

let stream: EventSource | undefined;
let heardAt = now();
let pause = 500;
let retry: ReturnType<typeof setTimeout> | undefined;

/** What has come since the page was last drawn: a busy fleet is drawn a few times a second, not per beat. */
const changed = new Map<string, AgentView | null>();

export async function connect(): Promise<void> {
  clearTimeout(retry);
  try {
    if (!(await mayRead())) return lock();
    openStream();
    await readAll();
    pause = 500;
    if (stream?.readyState === EventSource.OPEN) link.set({ is: "live" });
  } catch (error) {
    failed(error);
  }
}

sessions.watch(() => void connect());

/** Asks what the cookie of an earlier visit is still good for. */
async function mayRead(): Promise<boolean> {
  const session = await read<{ signedIn: boolean; may: { read: boolean } }>("/session");
  signedIn.set(session.signedIn);
  return session.may.read;
}

/** Shows nothing, and asks for a token once. */
function lock(): void {
  clearTimeout(retry);
  stream?.close();
  changed.clear();
  roll.set(NOTHING);
  link.set({ is: "locked" });
  void signIn("read");
}

function failed(error: unknown): void {
  if (error instanceof Problem && error.status === 401) lock();
  else lost(error instanceof Problem ? error.message : String(error));
}

let reading = false;
let drawnAt = 0;

async function readAll(): Promise<void> {
  reading = true;
  try {
    await readRoll();
  } finally {
    reading = false;
  }
}

async function readRoll(): Promise<void> {
  const [answer, strips] = await Promise.all([
    read<RollAnswer>("/agents"),
    read<StripsAnswer>("/strips?hours=24").catch(() => undefined),
  ]);
  heardAt = now();
  const at = heardAt;
  roll.set({
    watcher: answer.watcher,
    agents: new Map(answer.agents.map((agent) => [agent.id, { agent, heardAt: at }])),
    strips: stripsWith(strips, answer.agents),
  });
}

/** Whoever has no strip is drawn with the state that stands. */
function stripsWith(answer: StripsAnswer | undefined, agents: readonly AgentView[]): Map<string, Strip> {
  const strips = answer === undefined ? new Map<string, Strip>() : stripsOf(answer);
  for (const { id, state, since } of agents) {
    strips.set(id, withState(strips.get(id) ?? [], state, Date.parse(since)));
  }
  return strips;
}

function openStream(): void {
  if (stream !== undefined && stream.readyState !== EventSource.CLOSED) return;
  const opened = new EventSource("/api/v1/events");
  stream = opened;
  opened.onopen = () => {
    heardAt = now();
    if (link.value.is === "down") void connect();
    else if (roll.value.watcher !== undefined) link.set({ is: "live" });
  };
  opened.onerror = () => lost("The stream of changes broke off.");
  const on = (name: string, take: (data: unknown) => void) =>
    opened.addEventListener(name, (event) => {
      heardAt = now();
      try {
        take(JSON.parse((event as MessageEvent<string>).data));
      } catch {
        // An event that cannot be read tells nothing; the next answer of the API will.
      }
    });
  on("agents", (data) => {
    for (const agent of data as AgentView[]) queue(agent.id, agent);
  });
  on("removed", (data) => {
    for (const id of data as string[]) queue(id, null);
  });
  for (const name of NEWS) on(name, () => news.set(news.value + 1));
  on("reset", () => void connect());
}

function queue(id: string, agent: AgentView | null): void {
  // At once after a calm, and at a pace in a storm.
  if (changed.size === 0) setTimeout(draw, Math.max(0, drawnAt + REDRAW - Date.now()));
  changed.set(id, agent);
}

function draw(): void {
  // What the stream says is drawn over the answer that is under way: it may be older than what the stream has said.
  if (reading) {
    setTimeout(draw, REDRAW);
    return;
  }
  const { watcher } = roll.value;
  const agents = new Map(roll.value.agents);
  const strips = new Map(roll.value.strips);
  const at = now();
  for (const [id, agent] of changed) {
    if (agent === null) {
      agents.delete(id);
      strips.delete(id);
      continue;
    }
    agents.set(id, { agent, heardAt: at });
    strips.set(id, withState(strips.get(id) ?? [], agent.state, Date.parse(agent.since)));
  }
  changed.clear();
  drawnAt = Date.now();
  roll.set({ agents, strips, watcher });
}

/** The link is down: says so, and tries again, at first soon. A browser gives up on its own after some answers. */
function lost(problem: string): void {
  link.set({ is: "down", since: link.value.is === "down" ? link.value.since : heardAt, problem });
  clearTimeout(retry);
  retry = setTimeout(() => void connect(), pause);
  pause = Math.min(LONGEST_PAUSE, pause * 2);
}

/** A stream that hangs looks like one where nothing happens: asks now and then whether the watcher still watches. */
export function keepAsking(): void {
  setInterval(() => {
    if (document.visibilityState !== "visible" || link.value.is !== "live") return;
    read<WatcherView>("/watcher").then((watcher) => {
      heardAt = now();
      if (JSON.stringify(watcher) !== JSON.stringify(roll.value.watcher))
        roll.set({ ...roll.value, watcher });
    }, failed);
  }, ASK_EVERY);
}
