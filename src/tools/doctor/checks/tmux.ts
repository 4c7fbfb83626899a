import { LockedPidFile } from "../../../home/pid-file.ts";
import { environmentOf } from "../../../system/proc.ts";
import { Tmux, tmuxVersion } from "../../../system/tmux.ts";
import { socketPathOf } from "../../../system/tmux-servers.ts";
import { unkeptPanes } from "../../respawn.ts";
import {
  type AgentHere,
  agentsHere,
  type Check,
  type CheckContext,
  type CheckFinding,
  fail,
  ok,
  warn,
} from "../check.ts";

export const tmuxCheck: Check = {
  name: "tmux",
  looksAt:
    "if an agent is watched in tmux: tmux is installed, its servers answer this command and the watcher, and panes to respawn stay open when their program ends",
  worst: "error",
  async run(context) {
    const agents = (await agentsHere(context)).filter(({ signals }) => signals.tmux !== undefined);
    const ids = agents.map(({ id }) => id);
    if (ids.length === 0) return [ok("no agent is watched in tmux")];
    const ran = await tmuxVersion(context.host.run);
    if (ran.how === "ended" && ran.status === 0) {
      const found = [...elsewhere(agents, context), ...(await silent(agents, context))];
      found.push(...(await unkept(agents, context)));
      return found.length > 0 ? found : [ok(`${ran.stdout.trim()} is installed`)];
    }
    const need = several(ids);
    if (ran.how === "missing") {
      const says = `tmux is not installed, so Rollcall cannot watch ${need}`;
      return [fail(says, "Install it: sudo apt install tmux")];
    }
    const problem = ran.how === "failed" ? ran.problem : ran.stderr || `exit ${ran.status}`;
    return [fail(`tmux cannot be run (${problem}), so Rollcall cannot watch ${need}`, "See why: tmux -V")];
  },
};

function several(ids: readonly string[]): string {
  return `${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ` and ${ids.length - 5} more` : ""}`;
}

/** Agents whose server is named by a name, which means another place in the watcher's environment than in this one. */
function elsewhere(agents: readonly AgentHere[], { home }: CheckContext): readonly CheckFinding[] {
  const watcher = new LockedPidFile(home.pidFile).holder();
  const environment = watcher && environmentOf(watcher.incarnation.pid);
  if (environment === undefined) return [];
  const its = environment.TMUX_TMPDIR;
  const named = agents.filter(({ signals: { tmux } }) => tmux !== undefined && !tmux.socketPath);
  const [first] = named;
  if (first?.signals.tmux === undefined || (its || "/tmp") === (process.env.TMUX_TMPDIR || "/tmp")) return [];
  const here = socketPathOf(first.signals.tmux, process.env);
  const there = socketPathOf(first.signals.tmux, { TMUX_TMPDIR: its });
  const says = `TMUX_TMPDIR differs: the watcher looks for ${several(named.map(({ id }) => id))} at ${there}, this shell at ${here}`;
  return [warn(says, `Name the socket in the config: tmux: { socketPath: ${here} }`)];
}

/** Servers that do not answer. */
async function silent(
  agents: readonly AgentHere[],
  { host }: CheckContext,
): Promise<readonly CheckFinding[]> {
  const pathOf = ({ signals }: AgentHere) => socketPathOf(signals.tmux ?? {}, process.env);
  const found: CheckFinding[] = [];
  for (const path of new Set(agents.map(pathOf))) {
    const watched = agents.filter((agent) => pathOf(agent) === path);
    const answer = await new Tmux({ socketPath: path }, host.run).sessions();
    if (answer.how === "answered" || (answer.how === "absent" && answer.what !== "server")) continue;
    const problem = answer.how === "unclear" ? answer.problem : `no tmux server answers at ${path}`;
    const says = `${problem}, so Rollcall cannot watch ${several(watched.map(({ id }) => id))}`;
    found.push(warn(says, `List its sessions: tmux -S ${path} list-sessions`));
  }
  return found;
}

async function unkept(
  agents: readonly AgentHere[],
  { config, host }: CheckContext,
): Promise<readonly CheckFinding[]> {
  const watched = agents.map(({ id, signals }) => ({ id, tmux: signals.tmux }));
  const found = await unkeptPanes(config, watched, host.run);
  return found.map(({ says, command }) => warn(says, `Keep the pane: ${command}`));
}
