import type { Agent } from "../../core/agent.ts";
import type { Instant } from "../../core/duration.ts";
import { type AgentClient, agentPanes, type FoundPane } from "../../features/coding-agents/clients.ts";
import { idsFor } from "../../features/coding-agents/ids.ts";
import { rollOf } from "../../features/coding-agents/known.ts";
import { type FreshTranscript, freshTranscripts } from "../../features/coding-agents/transcripts.ts";
import type { TmuxSettings } from "../../signals/tmux/settings.ts";
import { type Runner, runProgram } from "../../system/exec.ts";
import { openProc } from "../../system/proc.ts";
import { Tmux, type TmuxServer, tmuxVersion } from "../../system/tmux.ts";
import type { Pane } from "../../system/tmux-pane.ts";
import { atSocket, socketPathOf, tmuxServers } from "../../system/tmux-servers.ts";
import { agentProcesses } from "./processes.ts";

/** A coding agent that was found on this host. */
export interface Discovered {
  /** Its id on the roll, or the one that it would get. */
  readonly id: string;
  readonly isKnown: boolean;
  readonly client: AgentClient;
  /** What it would be watched by, as the config has it. */
  readonly signals: {
    readonly tmux?: TmuxSettings;
    readonly transcript?: { readonly client: string; readonly cwd: string };
    readonly process?: { readonly match: string };
  };
}

export interface Discovery {
  readonly found: readonly Discovered[];
  /** What could not be looked at, as sentences. */
  readonly problems: readonly string[];
}

export interface DiscoverOptions {
  /** Everybody who is on the roll. */
  readonly agents: readonly Agent[];
  readonly env: NodeJS.ProcessEnv;
  readonly now: Instant;
  /** Only this tmux server; otherwise all that run here. */
  readonly server?: TmuxServer;
  readonly run?: Runner;
}

/** Looks for coding agents in tmux panes, by their fresh transcripts, and by their processes. It only reads. */
export async function discover(options: DiscoverOptions): Promise<Discovery> {
  const { agents, env, now, server } = options;
  const roll = rollOf(agents, env);
  const { inPanes, problems } = await lookIntoTmux(options);
  const transcripts = await freshTranscripts(now);
  const processes = server === undefined ? agentProcesses(openProc()) : [];
  const found: (Omit<Discovered, "id" | "isKnown"> & { holder: string | undefined; name: string })[] = [];
  for (const one of inPanes) {
    const { client, settings, name } = one;
    const transcript = transcripts.find((its) => isOf(its, one));
    const isShared =
      inPanes.filter(({ client: other, pane }) => other === client && pane.folder === one.pane.folder)
        .length > 1;
    const holder =
      roll.paneHolder(one, one.panes) ??
      (transcript && !isShared ? await roll.transcriptHolder(transcript, now) : undefined);
    const signals = {
      // The watcher may look for servers elsewhere than this shell: TMUX_TMPDIR is each one's own.
      tmux: atSocket(settings, env),
      ...(transcript && !isShared && { transcript: { client, cwd: transcript.cwd } }),
    };
    found.push({ client, signals, holder, name });
  }
  for (const transcript of transcripts) {
    // It belongs to a pane, or to one of several, and nobody can tell to which.
    if (inPanes.some((pane) => isOf(transcript, pane))) continue;
    const { client, cwd } = transcript;
    const holder = await roll.transcriptHolder(transcript, now);
    const name = `${client}-${cwd.slice(cwd.lastIndexOf("/") + 1)}`;
    found.push({ client, signals: { transcript: { client, cwd } }, holder, name });
  }
  for (const { client, folder, match } of processes) {
    // Its transcript tells more than its process.
    if (
      found.some(({ signals: { transcript } }) => transcript?.client === client && transcript.cwd === folder)
    )
      continue;
    const name = `${client}-${folder.slice(folder.lastIndexOf("/") + 1)}`;
    found.push({ client, signals: { process: { match } }, holder: roll.processHolder(match), name });
  }
  const added = found.filter(({ holder }) => holder === undefined);
  const nameless = added.map(({ name, signals }) => ({ name, identity: JSON.stringify(signals) }));
  const ids = idsFor(nameless, new Set(agents.map(({ id }) => id)));
  return {
    found: found.map((one) => {
      const { client, signals, holder } = one;
      const id = holder ?? ids[added.indexOf(one)] ?? one.name;
      return { id, isKnown: holder !== undefined, client, signals };
    }),
    problems,
  };
}

type InPane = FoundPane & { readonly panes: readonly Pane[] };

async function lookIntoTmux({ env, server, run = runProgram }: DiscoverOptions): Promise<{
  readonly inPanes: readonly InPane[];
  readonly problems: readonly string[];
}> {
  if ((await tmuxVersion(run)).how === "missing") {
    return { inPanes: [], problems: ["tmux is not installed here, so Rollcall looked at no pane"] };
  }
  const proc = openProc();
  const inPanes: InPane[] = [];
  const problems: string[] = [];
  for (const one of server === undefined ? tmuxServers(env) : [server]) {
    const { panes, problem } = await new Tmux(one, run).allPanes();
    if (problem !== undefined) problems.push(problem);
    else if (server?.socket !== undefined && panes.length === 0) {
      problems.push(`no tmux server ${server.socket} runs here`);
    }
    inPanes.push(...agentPanes(one, panes, proc).map((pane) => ({ ...pane, panes })));
  }
  return { inPanes, problems };
}

function isOf({ client, cwd }: FreshTranscript, pane: FoundPane): boolean {
  return pane.client === client && pane.pane.folder === cwd;
}

/** What an agent that was found would be watched by. */
export function saySignals({ signals: { tmux, transcript, process } }: Pick<Discovered, "signals">): string {
  const isDefault = tmux?.socketPath === socketPathOf({}, {});
  const pane = tmux && `tmux ${tmux.session ?? tmux.target}${isDefault ? "" : ` of ${tmux.socketPath}`}`;
  const lines = transcript && `transcript of ${transcript.cwd}`;
  return [pane, lines, process && "its process"].filter(Boolean).join(" + ");
}
