import { sayAsks } from "../asks.ts";
import { type Instant, sayDuration, sayInstant } from "../duration.ts";
import type { Front, Machine } from "../screen/machine.ts";
import type { Case } from "./case.ts";
import { sortFacts } from "./facts.ts";
import { sayDissent } from "./fusion.ts";
import { lookedAt } from "./memory.ts";
import type { Observation } from "./observation.ts";
import type { Evidence } from "./verdict.ts";

/** Every known fact, newest first, whether it decided the verdict or not. */
export function evidenceOf({
  observations,
  pausedAt,
  trust,
  now,
}: Pick<Case, "observations" | "pausedAt" | "trust" | "now">): readonly Evidence[] {
  const list: Evidence[] = observations.map((fact) => ({
    signal: fact.signal,
    at: toldAt(fact),
    says: isOver(fact, observations) ? `before it ended: ${sayFact(fact)}` : sayFact(fact),
  }));
  const { dissent } = sortFacts(observations, now);
  if (dissent !== undefined) list.push({ signal: "watcher", at: dissent.since, says: sayDissent(dissent) });
  if (pausedAt !== undefined) list.push({ signal: "operator", at: pausedAt, says: "paused" });
  const last = trust.blind[trust.blind.length - 1];
  if (last !== undefined) {
    const length = sayDuration(last.to - last.from);
    list.push({ signal: "watcher", at: last.to, says: `did not watch for ${length} (${last.cause})` });
  }
  return list.sort((a, b) => b.at - a.at || order(a.says, b.says) || order(a.signal, b.signal));
}

/** What a signal last saw of something that was gone at a later look. */
function isOver(fact: Observation, observations: readonly Observation[]): boolean {
  if (fact.kind !== "present" && fact.kind !== "reading" && fact.kind !== "machine") return false;
  return observations.some(
    (gone) => gone.kind === "gone" && gone.signal === fact.signal && gone.seenAt > lookedAt(fact),
  );
}

/** No fact is dated before the newest thing that its words tell. */
function toldAt(fact: Observation): Instant {
  if (fact.kind === "machine") return fact.seenAt;
  return fact.kind === "reading" ? Math.max(fact.at, fact.progressAt) : fact.at;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sayFact(fact: Observation): string {
  switch (fact.kind) {
    case "beat": {
      const from = fact.host === undefined ? "" : ` from ${fact.host}`;
      const message = fact.message === undefined ? "" : `: ${fact.message}`;
      const unproven = fact.unproven === true ? " without a token" : "";
      return `${fact.source === "agent" ? "beat" : "wrapper's beat"}${unproven}${from}, status ${fact.status}${message}`;
    }
    case "cycle": {
      const number = fact.cycle === undefined ? "cycle" : `cycle ${fact.cycle}`;
      if (fact.event === "begun") return `${number} began`;
      if (fact.stopped !== undefined) return `${number} was stopped (${fact.stopped})`;
      return `${number} ended ${fact.ok ? "cleanly" : "with an error"}`;
    }
    case "present":
      return "present";
    case "gone":
      return `gone${fact.exit === undefined ? "" : ` (${fact.exit})`}, ${fact.clean ? "ended cleanly" : "did not end cleanly"}`;
    case "activity":
      return `last activity ${sayInstant(fact.at)}`;
    case "reading": {
      const { detail, asks, doing, unproven } = fact;
      const words = [detail, asks && sayAsks(asks), doing].filter((each) => each !== undefined).join(": ");
      const verb = fact.signal === "hook" || fact.signal === "beat" ? "says" : "shows";
      const proof = unproven === true ? " without a token" : "";
      const said = `${verb}${proof} ${fact.reading}${words === "" ? "" : ` (${words})`}`;
      return `${said}; last progress ${sayInstant(fact.progressAt)}`;
    }
    case "machine":
      return sayMachine(fact);
    case "work":
      if (fact.notProven !== undefined) return fact.notProven.says;
      return fact.open ? "work is recorded as in progress" : "work is recorded as done";
    case "repeats":
      return fact.loopsSince === undefined
        ? `${fact.calls} calls since the last that was new to the session`
        : `repeats earlier calls, ${fact.calls} in a row: ${fact.quotes ?? ""}`;
    case "budget":
      return fact.over ?? "within its budget";
    case "runs":
      return fact.openSince === undefined
        ? "no run is in progress"
        : `a run began at ${sayInstant(fact.openSince)}`;
    case "verdict":
      return `its host says ${fact.state} (${fact.reason}): ${fact.why}`;
    case "contact":
      return fact.lost ? "its host is out of contact" : "its host is in contact";
    case "degraded":
      return `could not be checked: ${fact.problem}`;
  }
}

/** `foreground program: claude; 1 connection, last bytes received 2026-…; runs bash` */
function sayMachine({ front, program, terminal, wire, children = [] }: Machine): string {
  const parts = [`foreground program: ${FRONTS[front](program)}`];
  if (terminal?.canonical === true) {
    const reader =
      terminal.isRead === undefined ? "" : `, ${terminal.isRead ? "a program reads it" : "nobody reads it"}`;
    parts.push(`the terminal takes whole lines${terminal.echo ? "" : " without echo"}${reader}`);
  }
  if (wire !== undefined) {
    const received =
      wire.receivedAt === undefined ? "" : `, last bytes received ${sayInstant(wire.receivedAt)}`;
    parts.push(`${wire.open === 1 ? "1 connection" : `${wire.open} connections`}${received}`);
  }
  if (children.length > 0) {
    const [youngest, ...older] = children;
    const more = older.length === 0 ? "" : ` and ${older.length} more`;
    parts.push(`child processes: ${youngest?.name} (since ${sayInstant(youngest?.since ?? 0)})${more}`);
  }
  return parts.join("; ");
}

const FRONTS: Readonly<Record<Front, (program: string) => string>> = {
  program: (program) => program,
  shell: (shell) => `${shell} (a shell)`,
  suspended: (shell) => `${shell} (a shell); its program is suspended`,
  background: (shell) => `${shell} (a shell); its program runs in the background`,
};
