import { join } from "node:path";
import { agentsOf, loadConfig } from "../config/load.ts";
import { storedIn } from "../config/stored-home.ts";
import type { Agent } from "../core/agent.ts";
import { CodedError } from "../core/coded-error.ts";
import { given } from "../core/given.ts";
import { homeAt } from "../home/home.ts";
import { withStore } from "../home/store.ts";
import { follow } from "../session-log/follow.ts";
import { sessionLogs } from "../session-log/index.ts";
import { sessionLog } from "../session-log/template.ts";
import { signalSettings } from "../signals/settings.ts";
import { paneOf, scopeOf } from "../signals/tmux/choose.ts";
import { sayTarget } from "../signals/tmux/settings.ts";
import { presetPlace } from "../signals/transcript/presets.ts";
import { Tmux, type TmuxServer } from "../system/tmux.ts";
import type { Pane } from "../system/tmux-pane.ts";

// Where the traces of an agent are on this host, for commands that show them to a person.

interface Where {
  readonly home?: string;
  readonly config?: string;
}

class NoTraceError extends CodedError<"not-found"> {
  override readonly name = "NoTraceError";
}

/** The agent's log, or its transcript: the newest file that its settings name; else what `rollcall run` wrote. */
export async function logOf(
  where: Where,
  id: string,
): Promise<{ readonly path: string; readonly size: number }> {
  const { log, transcript, tmux } = await signalsOf(where, id);
  const keys = { agent: id, ...log?.keys };
  const named = log ?? transcript;
  if (named === undefined) {
    const written = await runLogOf(where, id);
    if (written !== undefined) return written;
    throw new NoTraceError(
      "not-found",
      `agent "${id}" has no log on this host; ${
        tmux === undefined
          ? `see its last beats: rollcall beats ${id}`
          : `see its screen: rollcall peek ${id}`
      }`,
    );
  }
  const place =
    log === undefined && transcript?.client !== undefined
      ? presetPlace(transcript.client, transcript.cwd ?? "", keys)
      : given({ path: named.path, folder: named.folder });
  const file = await sessionLog({ ...place, keys }).find(Date.now());
  if ("problem" in file) throw new NoTraceError("not-found", file.problem);
  return file;
}

/** What `rollcall run` wrote of the agent's command. */
async function runLogOf(where: Where, id: string) {
  const log = sessionLogs({ folder: join(homeAt(where.home).path, "logs") }).path(id);
  const found = await sessionLog({ path: "{log}", keys: { log } }).find(Date.now());
  return "problem" in found ? undefined : found;
}

/** The agent's pane as tmux has it now, and its server. */
export async function livePane(
  where: Where,
  id: string,
): Promise<{ readonly pane: Pane; readonly server: TmuxServer }> {
  const { tmux } = await signalsOf(where, id);
  if (tmux === undefined) throw new NoTraceError("not-found", `agent "${id}" has no tmux pane on this host`);
  const panes = await new Tmux(tmux).panes(scopeOf(tmux));
  const pane = panes.how === "answered" ? paneOf(panes.value, tmux) : undefined;
  if (pane !== undefined) return { pane, server: tmux };
  const why = panes.how === "answered" ? "" : ` (${panes.problem})`;
  throw new NoTraceError("not-found", `the ${sayTarget(tmux)} of agent "${id}" does not exist${why}`);
}

/** Shows what is appended to a file from an offset on. The answer stops it. */
export const followFile = follow;

/** What the config declares counts before what was stored. */
async function signalsOf(where: Where, id: string) {
  const home = homeAt(where.home);
  const config = await loadConfig(home.path, where.config, id);
  const declared = agentsOf(config, Date.now()).find((agent) => agent.id === id);
  const agent: Agent | undefined =
    declared ??
    (await withStore(storedIn(home, config), (store) => store.loadAgent(id), { here: true })).agents[0];
  return signalSettings.safeParse(agent?.signals ?? {}).data ?? {};
}
