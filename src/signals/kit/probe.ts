import type { Instant } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import type { ChildFacts, Machine, WireFacts } from "../../core/screen/machine.ts";
import { type Runner, runProgram } from "../../system/exec.ts";
import type { Proc, Relative } from "../../system/proc.ts";
import { openSockets, type TcpConnection } from "../../system/sockets.ts";
import { terminalMode } from "../../system/terminal-mode.ts";

/** What is asked of the machine about one agent's program. */
export interface ProbeAsk {
  /** The process under which everything of the agent runs. */
  readonly pid: number;
  readonly now: Instant;
  readonly abort?: AbortSignal;
  /** Its terminal, such as `/dev/pts/3`: set if the mode of it may tell something. */
  readonly terminal?: string;
  /** Ask for its connections too: it seems busy. */
  readonly wire: boolean;
}

export type MachineFacts = Pick<Machine, "terminal" | "wire" | "children">;

/** Asks the machine. One of these serves a whole fleet: many agents share one pass over the processes and one `ss` a round. */
export type Probe = (ask: ProbeAsk) => Promise<MachineFacts>;

/** More children than this tell nothing more. */
const MOST_CHILDREN = 12;

export function openProbe(proc: Proc, run: Runner = runProgram): Probe {
  const sockets = openSockets(run);
  return async ({ pid, now, abort, terminal, wire }) => {
    if (!proc.readable()) return {};
    const family = proc.family(pid, now);
    const pids = new Set([pid, ...family.map((one) => one.pid)]);
    const foreground = proc.stat(pid)?.foreground ?? 0;
    const inFront = [...family.filter(({ group }) => group === foreground).map((one) => one.pid), foreground];
    const [mode, connections] = await Promise.all([
      terminal === undefined ? undefined : terminalMode(terminal, inFront, run, abort),
      wire ? sockets(now) : undefined,
    ]);
    return {
      children: childrenOf(family),
      ...(mode && { terminal: mode }),
      ...(connections && { wire: wireOf(connections, pids) }),
    };
  };
}

function childrenOf(family: readonly Relative[]): readonly ChildFacts[] {
  return family
    .map(({ name, startedAt }) => ({ name, since: startedAt }))
    .sort((a, b) => b.since - a.since)
    .slice(0, MOST_CHILDREN);
}

/** What came in from outside of the family: parts of one program talk to each other whatever the model does. */
function wireOf(connections: readonly TcpConnection[], pids: ReadonlySet<number>): WireFacts {
  const own = connections.filter(({ pid }) => pids.has(pid));
  const ends = new Set(own.map(({ local }) => local));
  const outside = own.filter(({ peer }) => !ends.has(peer));
  const open = new Set(outside.map(({ local, peer }) => `${local} ${peer}`)).size;
  const usedAt = ({ sentAt, receivedAt = sentAt }: TcpConnection) => Math.max(receivedAt, sentAt);
  const last = outside.reduce<TcpConnection | undefined>(
    (best, one) => (best === undefined || usedAt(one) > usedAt(best) ? one : best),
    undefined,
  );
  return { open, ...(last && given({ receivedAt: last.receivedAt, sentAt: last.sentAt })) };
}
