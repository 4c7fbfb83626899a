import { isPaused } from "../src/core/agent.ts";
import { MINUTE, SECOND } from "../src/core/duration.ts";
import { isOpen } from "../src/core/incident/incident.ts";
import type { Watcher } from "../src/watch/watcher.ts";
import type { Chance } from "./chance.ts";
import type { Ledger } from "./ledger.ts";
import type { Time } from "./time.ts";

export interface Office {
  readonly time: Time;
  readonly chance: Chance;
  readonly ledger: Ledger;
  /** The watcher, if it can be reached. */
  reach(): Watcher | undefined;
  resumed(agent: string): void;
  note(what: string, about: string): void;
}

/** What people do to a fleet. They are refused, or get no answer, and go on. */
export function operate(office: Office): void {
  const { chance, ledger } = office;
  const watcher = office.reach();
  const agent = chance.one([...ledger.members.keys(), "nobody"]);
  const incidents = [...ledger.incidents.values()].filter(isOpen);
  const incident = incidents.length === 0 ? undefined : chance.one(incidents).id;
  const act = chance.one(["pause", "silence", "silence", "acknowledge", "resolve", "remove"] as const);
  const long = chance.between(5 * MINUTE, 90 * MINUTE);
  if (watcher === undefined) return;
  office.note(act, act === "acknowledge" || act === "resolve" ? (incident ?? "none") : agent);
  if (act === "pause") pause(office, watcher, agent, long);
  else if (act === "silence") silence(office, watcher, long);
  else if (act === "remove") quietly(watcher.remove(agent));
  else if (incident !== undefined) quietly(watcher.command({ kind: act, id: incident, by: "ada" }));
}

function pause(office: Office, watcher: Watcher, agent: string, long: number): void {
  const { time, reach, resumed, note } = office;
  quietly(watcher.pause(agent));
  const resume = () => {
    const present = reach();
    if (present === undefined) return time.after(10 * SECOND, resume);
    note("resume", agent);
    const known = office.ledger.members.get(agent)?.agent;
    if (known !== undefined && isPaused(known)) resumed(agent);
    quietly(present.resume(agent));
  };
  time.after(long, resume);
}

function silence({ time, chance }: Office, watcher: Watcher, long: number): void {
  const from = time.wall();
  const agents = chance.one(["web-*", "batch-*", "*-1", "free-*"]);
  const id = `s${Math.round(time.now)}`;
  quietly(
    watcher.command({
      kind: "silence",
      silence: { id, agents, from, until: from + long, why: "work", by: "ada" },
    }),
  );
}

function quietly(asked: Promise<void>): void {
  asked.catch(() => {});
}
