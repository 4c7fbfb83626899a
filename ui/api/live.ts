import {
  isTrouble,
  STATE_TRAITS,
  type State,
  type StateCounts,
  sumOf,
} from "../../src/core/liveness/state.ts";
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
  /** Set if the fleet is large: then `agents` are only those in trouble, or those that were asked for. */
  readonly counts?: StateCounts;
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

/** A larger fleet is not read whole: of it so many agents are read at most, and again and again instead of streamed. */
const WHOLE = 5000;
const PART = 1000;
const PART_EVERY = 10_000;
const TYPING = 300;
const IN_TROUBLE = `state=${(Object.keys(STATE_TRAITS) as State[]).filter(isTrouble).join(",")}`;

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
  const wasLarge = isLarge();
  if (!streamIsOpen && !wasLarge) await openStream();
  await readAll();
  pause = 500;
  if (isLarge()) poll();
  // A fleet that is no longer large is streamed again.
  else if (wasLarge) again = true;
  if (streamIsOpen || isLarge()) link.set({ is: "live" });
}

function isLarge(): boolean {
  return roll.value.counts !== undefined;
}

/** Of a large fleet too much happens for a stream: what is shown of it is read again. */
function poll(): void {
  streamIsOpen = false;
  stream("leave");
  changed.clear();
  news.set(news.value + 1);
  retry = setTimeout(() => void connect(), PART_EVERY);
}

/** Which part of a large fleet is shown, as a query to the API; those in trouble if it is empty. */
let wanted = "";
let wanting: ReturnType<typeof setTimeout> | undefined;

/** Asks for a part of a large fleet, once nothing more is typed. */
export function want(query: string): void {
  if (query === wanted) return;
  wanted = query;
  clearTimeout(wanting);
  if (isLarge()) wanting = setTimeout(() => void connect(), TYPING);
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
  const { watcher, counts, agents } = await readAgents();
  const isWhole = sumOf(counts) <= WHOLE;
  const strips = isWhole ? await read<StripsAnswer>("/strips?hours=24").catch(() => undefined) : undefined;
  heardAt = now();
  const at = heardAt;
  roll.set({
    watcher,
    agents: new Map(agents.map((agent) => [agent.id, { agent, heardAt: at }])),
    strips: stripsWith(strips, agents),
    ...(isWhole ? {} : { counts }),
  });
}

/** All agents, a page after the other; or the wanted part of a large fleet. */
async function readAgents(): Promise<RollAnswer> {
  const whole = `/agents?limit=${PART}`;
  const first = isLarge() ? await readPart() : await read<RollAnswer>(whole);
  if (sumOf(first.counts) > WHOLE) return isLarge() ? first : readPart();
  let page = isLarge() ? await read<RollAnswer>(whole) : first;
  let { agents } = page;
  while (typeof page.next === "string") {
    page = await read<RollAnswer>(page.next.replace("/api/v1", ""));
    agents = agents.concat(page.agents);
  }
  return { ...page, agents };
}

/** Whoever waits for a person is there in any case, however many others are in trouble or asked for. */
async function readPart(): Promise<RollAnswer> {
  const part = (query: string) => read<RollAnswer>(`/agents?limit=${PART}&${query}`);
  const [waiting, others] = await Promise.all([
    part("state=waiting"),
    part(wanted === "" ? IN_TROUBLE : wanted),
  ]);
  return { ...others, agents: waiting.agents.concat(others.agents) };
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
  if (isLarge()) return;
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
  if (changed.size === 0) return;
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
