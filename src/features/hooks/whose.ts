import { createHash } from "node:crypto";
import type { Agent } from "../../core/agent.ts";
import { type Incarnation, sameIncarnation } from "../../core/beat.ts";
import type { Instant } from "../../core/duration.ts";
import type { HookClient } from "../../core/hook/event.ts";
import type { Observation } from "../../core/liveness/observation.ts";
import { CLIENTS } from "../../signals/transcript/presets.ts";
import type { Proc } from "../../system/proc.ts";
import { Tmux, type TmuxServer } from "../../system/tmux.ts";
import type { Pane } from "../../system/tmux-pane.ts";
import { atSocket, socketPathOf, tmuxServers } from "../../system/tmux-servers.ts";
import { agentPanes, clientOf, type FoundPane } from "../coding-agents/clients.ts";
import { rollOf } from "../coding-agents/known.ts";

/** An agent on the roll, with what is known of it. */
export interface OnRoll {
  readonly agent: Agent;
  readonly observations: readonly Observation[];
}

/** Who sent an event, as far as that is told. */
export interface HookSender {
  readonly client: HookClient;
  readonly session: string;
  /** A process at or below the client's. Only the kernel's word about it counts. */
  readonly pid?: number | undefined;
  /** Where the client says that it works: it is compared, and never used as a path. */
  readonly cwd?: string | undefined;
}

/** Whose session it is: an agent on the roll, or what one would be called and watched by. */
export interface Whose {
  readonly life?: Incarnation | undefined;
  readonly agent?: string | undefined;
  readonly newcomer?: {
    readonly name: string;
    readonly identity: string;
    readonly signals: Agent["signals"];
  };
}

export interface WhoseDeps {
  readonly proc: Proc;
  readonly env: NodeJS.ProcessEnv;
  readonly panes?: typeof allPanes;
}

/** So far up a process is followed: shells, wrappers and multiplexers are not deeper. */
const GENERATIONS = 32;

/** Finds the agent of a session by its process, its pane, its folder: nobody has to name it. */
export async function whose(
  sender: HookSender,
  roll: readonly OnRoll[],
  now: Instant,
  { proc, env, panes = allPanes }: WhoseDeps,
): Promise<Whose> {
  const line = lineOf(sender, proc);
  const [life] = line;
  const holder = roll.find(({ observations }) => observations.some((fact) => isOneOf(fact, line)));
  if (holder !== undefined) return { life, agent: holder.agent.id };
  const known = rollOf(
    roll.map(({ agent }) => agent),
    env,
  );
  const folder = life && proc.folder(life.pid);
  const servers = line.length === 0 ? [] : await panes(env, known.servers());
  for (const { server, list } of servers) {
    const pane = list.find(({ pid }) => line.some((one) => one.pid === pid));
    if (pane === undefined) continue;
    const found = agentPanes(server, list, proc).find((one) => one.pane.id === pane.id);
    const agent = known.paneHolder(found ?? { server, pane }, list);
    if (agent !== undefined) return { life, agent };
    if (found !== undefined) return { life, newcomer: inPane(found, sender, folder, env) };
  }
  const client = CLIENTS.find((one) => one === sender.client);
  if (client !== undefined && sender.cwd !== undefined) {
    const agent = await known.transcriptHolder({ client, cwd: sender.cwd, path: "", changedAt: now }, now);
    if (agent !== undefined) return { life, agent };
  }
  return { life, newcomer: alone(sender, folder) };
}

/** The client's process and those above it. */
function lineOf({ client, pid, cwd }: HookSender, proc: Proc): readonly Incarnation[] {
  const above = ancestors(pid, proc);
  const own = above.findIndex((life) => clientOf(proc.command(life.pid)) === client);
  const [first] = own < 0 ? [] : above.slice(own);
  if (first === undefined) return [];
  if (!isShared(proc.command(first.pid))) return above.slice(own);
  // One process serves all terminals of its user: the terminal is the one that works in the session's folder.
  const inFolder = [...proc.commands()].flatMap(([other]) => {
    const argv = proc.command(other);
    if (clientOf(argv) !== client || isShared(argv) || proc.folder(other) !== cwd) return [];
    const parent = proc.stat(other)?.parent ?? 0;
    return clientOf(proc.command(parent)) === client ? [] : [other];
  });
  return inFolder.length === 1 ? ancestors(inFolder[0], proc) : [];
}

/** Codex keeps its sessions in a server in the background. */
function isShared(argv: readonly string[]): boolean {
  return argv.includes("app-server");
}

function ancestors(pid: number | undefined, proc: Proc): readonly Incarnation[] {
  const line: Incarnation[] = [];
  for (let next = pid ?? 0; next > 1 && line.length < GENERATIONS; ) {
    const stat = proc.stat(next);
    if (stat === undefined) break;
    line.push(stat.life);
    next = stat.parent;
  }
  return line;
}

/** The agent's own process, as another signal knows it, is one of these. */
function isOneOf(fact: Observation, line: readonly Incarnation[]): boolean {
  if (fact.kind !== "present" || fact.signal === "hook") return false;
  return line.some((life) => sameIncarnation(fact.incarnation, life));
}

function inPane(
  { settings, name }: FoundPane,
  sender: HookSender,
  folder: string | undefined,
  env: NodeJS.ProcessEnv,
): NonNullable<Whose["newcomer"]> {
  const tmux = atSocket(settings, env);
  return {
    name,
    identity: JSON.stringify(tmux),
    signals: { tmux, ...transcriptOf(sender, folder) },
  };
}

/** Without a pane it is known by its folder; without a process that proves the folder, by its session alone. */
function alone(sender: HookSender, folder: string | undefined): NonNullable<Whose["newcomer"]> {
  const { client, session } = sender;
  const last = folder?.slice(folder.lastIndexOf("/") + 1);
  const named = last ? last : createHash("sha256").update(session).digest("hex").slice(0, 8);
  return {
    name: `${client}-${named}`,
    identity: `${client} ${folder ?? session}`,
    signals: transcriptOf(sender, folder),
  };
}

function transcriptOf(
  { client }: HookSender,
  folder: string | undefined,
): { transcript?: { client: string; cwd: string } } {
  const keeps = (CLIENTS as readonly string[]).includes(client);
  return folder === undefined || !keeps ? {} : { transcript: { client, cwd: folder } };
}

/** All panes of all tmux servers of this user, and of those that agents name. */
async function allPanes(
  env: NodeJS.ProcessEnv,
  named: readonly TmuxServer[],
): Promise<readonly { server: FoundPane["server"]; list: readonly Pane[] }[]> {
  const found = [];
  const own = tmuxServers(env);
  const isOwn = (server: TmuxServer) =>
    own.some((other) => socketPathOf(other, env) === socketPathOf(server, env));
  for (const server of [...own, ...named.filter((each) => !isOwn(each))]) {
    const { panes } = await new Tmux(server).allPanes();
    found.push({ server, list: panes });
  }
  return found;
}
