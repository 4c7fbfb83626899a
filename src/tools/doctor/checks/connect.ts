import { iso, MINUTE, SECOND } from "../../../core/duration.ts";
import { agentPanes } from "../../../features/coding-agents/clients.ts";
import { runningWatcher } from "../../../home/running-watcher.ts";
import { ask } from "../../../service/client.ts";
import { openProc } from "../../../system/proc.ts";
import { Tmux } from "../../../system/tmux.ts";
import { tmuxServers } from "../../../system/tmux-servers.ts";
import { Connections } from "../../connect/connect.ts";
import { type Check, type CheckContext, type CheckFinding, fail, note, ok, warn } from "../check.ts";

/** A client at work says something more often than this. */
const SILENT = 10 * MINUTE;

export const connectCheck: Check = {
  name: "connect",
  looksAt:
    "if a coding agent is connected: its hooks are still in its settings, its settings do not switch hooks off, they reach this watcher, and they report something while its screen moves",
  worst: "error",
  async run(context) {
    const { home, host, command } = context;
    const connections = new Connections(home.path, { ...process.env, HOME: host.userHome });
    const all = connections.standings();
    const gone = all
      .filter(({ state }) => state === "overwritten")
      .map(({ client, file }) =>
        warn(
          `the hooks of ${client} are gone from ${file}`,
          `Connect it again: ${command(`connect ${client}`)}`,
        ),
      );
    const there = all.filter(({ state }) => state === "connected");
    const off = there.flatMap(({ problem }) =>
      problem === undefined ? [] : warn(problem, `Then look: ${command("connect --status")}`),
    );
    const found = [...gone, ...off];
    const connected = there.filter(({ problem }) => problem === undefined).map(({ client }) => client);
    if (connected.length === 0)
      return found.length > 0 ? found : [ok("no coding agent is connected by hooks")];
    const url = runningWatcher(home)?.url;
    if (url === undefined)
      return [...found, note(`${connected.join(", ")} would report here, but no watcher runs`)];
    const { target } = connections;
    if (target.url !== undefined && target.url !== url) {
      const says = `the hooks send to ${target.url}, but the watcher listens at ${url}`;
      return [...found, fail(says, `Connect again: ${command(`connect ${connected.join(" ")}`)}`)];
    }
    const silent = await silentOnes(context, connected, url);
    return [...found, ...silent].length > 0
      ? [...found, ...silent]
      : [ok(`connected by hooks: ${connected.join(", ")}`)];
  },
};

/** What the watcher tells of the clients that it heard. */
interface Heard {
  readonly hooks?: readonly { readonly client: string; readonly lastEventAt: string | null }[];
  readonly startedAt?: string;
}

/** Clients whose screen moved long after their last word. */
async function silentOnes(
  { home, host, command, now }: CheckContext,
  connected: readonly string[],
  url: string,
): Promise<readonly CheckFinding[]> {
  const { hooks = [], startedAt } = (await ask(home, url, "GET", "/api/v1/watcher")) as Heard;
  const found: CheckFinding[] = [];
  const proc = openProc();
  for (const server of tmuxServers(process.env)) {
    const { panes } = await new Tmux(server, host.run).allPanes();
    for (const { client, name, pane } of agentPanes(server, panes, proc)) {
      if (!connected.includes(client)) continue;
      const last = hooks.find((one) => one.client === client)?.lastEventAt ?? startedAt;
      const movedAt = pane.activity * SECOND;
      const heardAt = last === undefined || last === null ? now() : Date.parse(last);
      if (movedAt - heardAt < SILENT) continue;
      const says = `${client} in the pane ${name} moved at ${iso(movedAt)}, but its hooks last said something at ${iso(heardAt)}`;
      found.push(warn(says, `Start ${client} anew, then look: ${command("connect --status")}`));
    }
  }
  return found;
}
