import type { Instant } from "../core/duration.ts";
import { type Runner, runProgram } from "./exec.ts";

/** A TCP connection of a process, as the kernel tells it. */
export interface TcpConnection {
  readonly pid: number;
  readonly local: string;
  readonly peer: string;
  /** When bytes last came in, if any ever did, and when some were last sent. */
  readonly receivedAt?: Instant;
  readonly sentAt: Instant;
}

/** Many agents that are looked at in one round share one answer. */
const ANSWER_AGE = 1_000;

/** Who has connections, and when bytes last came in. Undefined where that cannot be asked: no Linux, no `ss`. */
export type Sockets = (now: Instant, abort?: AbortSignal) => Promise<readonly TcpConnection[] | undefined>;

/** Asks `ss`, once for everybody within a second; one that is not installed is not asked again. */
export function openSockets(run: Runner = runProgram): Sockets {
  let asked:
    | { readonly at: Instant; readonly answer: Promise<readonly TcpConnection[] | undefined> }
    | undefined;
  let isMissing = process.platform !== "linux";
  const ask = async (now: Instant) => {
    const ran = await run("ss", ["-tinpOH", "state", "established"]);
    if (ran.how === "missing") isMissing = true;
    return ran.how === "ended" && ran.status === 0 ? parseConnections(ran.stdout, now) : undefined;
  };
  return (now) => {
    if (isMissing) return Promise.resolve(undefined);
    if (asked === undefined || now < asked.at || now - asked.at >= ANSWER_AGE)
      asked = { at: now, answer: ask(now) };
    return asked.answer;
  };
}

/** The lines of `ss -tinpOH`. A connection that several processes hold counts for each. */
export function parseConnections(text: string, now: Instant): readonly TcpConnection[] {
  return text.split("\n").flatMap((line) => {
    const [, , local, peer] = /^\s*(\d+)\s+\d+\s+(\S+)\s+(\S+)/.exec(line) ?? [];
    const ago = (what: string) => Number(new RegExp(`\\b${what}:(\\d+)`).exec(line)?.[1] ?? Number.NaN);
    const [sent, received] = [ago("lastsnd"), ago("lastrcv")];
    if (local === undefined || peer === undefined || Number.isNaN(sent + received)) return [];
    // A connection over which nothing came yet counts from its beginning.
    const isSilent = !(ago("bytes_received") > 0);
    const times = { sentAt: now - sent, ...(!isSilent && { receivedAt: now - received }) };
    const holders = new Set([...line.matchAll(/\bpid=(\d+)/g)].map(([, pid]) => Number(pid)));
    return [...holders].map((pid) => ({ pid, local, peer, ...times }));
  });
}
