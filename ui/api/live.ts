import { now } from "../kit/clock.ts";
import { Observable } from "../kit/observable.ts";
import { Problem, read } from "./ask.ts";
import type { StreamNews } from "./event-stream.ts";
import { mayChange, sessions, signedIn, signIn } from "./session.ts";
import type { AgentView, RollAnswer, SessionAnswer, StripsAnswer, WatcherInfo } from "./shapes.ts";
import { sharedStream } from "./shared-stream.ts";
import { type Strip, stripsOf, withState } from "./strips.ts";

/** An agent with when we heard what we show of it: its sentence speaks of that moment. */
export interface Known {
  readonly agent: AgentView;
  readonly heardAt: number;
}

export interface LiveRoll {
  readonly agents: ReadonlyMap<string, Known>;
  readonly strips: ReadonlyMap<string, Strip>;
  readonly watcher: WatcherInfo | undefined;
}

export type Link =
  | { readonly is: "loading" }
  | { readonly is: "live" }
  /** The watcher answers, but shows nothing before somebody signs in. */
  | { readonly is: "locked" }
  /** `since`: when we last had word of the watcher. */
  | { readonly is: "down"; readonly since: number; readonly problem: string };

const NOTHING: LiveRoll = { agents: new Map(), strips: new Map(), watcher: undefined };
export const roll = new Observable<LiveRoll>(NOTHING);
export const link = new Observable<Link>({ is: "loading" });
/** Grows with everything that happens besides the roll: a page that shows such things reads them again. */
export const news = new Observable(0);

const REDRAW = 200;
const ASK_EVERY = 20_000;
const LONGEST_PAUSE = 15_000;
/** The roll is read once the stream is open, so that no change falls in between; but a slow stream is not waited for. */
const STREAM_PATIENCE = 3000;

const stream = sharedStream(hear);
let streamIsOpen = false;
/** Set while the stream is waited for. */
let streamSettled: (() => void) | undefined;
let heardAt = now();
let pause = 500;
let retry: ReturnType<typeof setTimeout> | undefined;

/** What has come since the page was last drawn: a busy fleet is drawn a few times a second, not per beat. */
const changed = new Map<string, AgentView | null>();

let connecting = false;
let again = false;

/** Reads everything and follows what changes from then on. Asked while it is under way, it is done once more after. */
export async function connect(): Promise<void> {
  clearTimeout(retry);
  again = connecting;
  if (connecting) return;
  connecting = true;
  try {
    if (await mayRead()) await follow();
    else lock();
  } catch (error) {
    failed(error);
  }
  connecting = false;
  if (again) void connect();
}

async function follow(): Promise<void> {
  if (!streamIsOpen) await openStream();
  await readAll();
  pause = 500;
  if (streamIsOpen) link.set({ is: "live" });
}

sessions.watch(() => void connect());

/** Asks what the cookie of an earlier visit is still good for. */
async function mayRead(): Promise<boolean> {
  const session = await read<SessionAnswer>("/session");
  signedIn.set(session.signedIn);
  mayChange.set(session.may.change);
  return session.may.read;
}

/** Shows nothing, and asks for a token once. */
function lock(): void {
  clearTimeout(retry);
  changed.clear();
  roll.set(NOTHING);
  link.set({ is: "locked" });
  // The other tabs have the same session: they find out as well. When one of them signs in, this one hears it.
  streamIsOpen = false;
  stream("close");
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
    readAgents(),
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

/** All agents, a page after the other: a large fleet is never one answer. */
async function readAgents(): Promise<RollAnswer> {
  const first = await read<RollAnswer>("/agents?limit=10000");
  let agents = first.agents;
  let next = first.next ?? null;
  while (next !== null) {
    const page: RollAnswer = await read<RollAnswer>(next.replace("/api/v1", ""));
    agents = agents.concat(page.agents);
    next = page.next ?? null;
  }
  return { ...first, agents };
}

/** Whoever has no strip is drawn with the state that stands. */
function stripsWith(answer: StripsAnswer | undefined, agents: readonly AgentView[]): Map<string, Strip> {
  const strips = answer === undefined ? new Map<string, Strip>() : stripsOf(answer);
  for (const { id, state, since } of agents) {
    strips.set(id, withState(strips.get(id) ?? [], state, Date.parse(since)));
  }
  return strips;
}

/** Resolves when the stream is open, or broke off, or takes too long. */
async function openStream(): Promise<void> {
  await new Promise<void>((done) => {
    streamSettled = done;
    setTimeout(done, STREAM_PATIENCE);
    stream("open");
  });
  streamSettled = undefined;
}

function hear(news: StreamNews): void {
  if (news.is === "broken") {
    streamIsOpen = false;
    streamSettled?.();
    if (link.value.is !== "locked") lost("The connection to the watcher was lost.");
    return;
  }
  heardAt = now();
  if (news.is === "event") {
    try {
      take(news.name, JSON.parse(news.data));
    } catch {
      // An event that cannot be read tells nothing; the next answer of the API will.
    }
    return;
  }
  if (streamIsOpen) return;
  streamIsOpen = true;
  // Where nothing waits for it, the stream came late or came back: what happened meanwhile is read.
  if (streamSettled !== undefined) streamSettled();
  else void connect();
}

function take(name: string, data: unknown): void {
  if (name === "reset") void connect();
  else if (name === "agents") for (const agent of data as AgentView[]) queue(agent.id, agent);
  else if (name === "removed") for (const id of data as string[]) queue(id, null);
  else news.set(news.value + 1);
}

/** A tab that the browser puts away neither hears nor reads: it leaves, and begins anew when it is back. */
export function leaveWhenPutAway(): void {
  const leave = () => {
    streamIsOpen = false;
    stream("leave");
  };
  addEventListener("pagehide", leave);
  addEventListener("pageshow", ({ persisted }) => persisted && void connect());
  document.addEventListener("freeze", leave);
  document.addEventListener("resume", () => void connect());
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
    read<WatcherInfo>("/watcher").then((watcher) => {
      heardAt = now();
      if (JSON.stringify(watcher) !== JSON.stringify(roll.value.watcher))
        roll.set({ ...roll.value, watcher });
    }, failed);
  }, ASK_EVERY);
}
