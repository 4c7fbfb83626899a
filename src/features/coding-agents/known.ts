import type { Agent } from "../../core/agent.ts";
import type { Instant } from "../../core/duration.ts";
import { fillTemplate, sessionLog } from "../../session-log/template.ts";
import { signalSettings } from "../../signals/settings.ts";
import { paneOf } from "../../signals/tmux/choose.ts";
import type { TmuxServer } from "../../system/tmux.ts";
import type { Pane } from "../../system/tmux-pane.ts";
import { socketPathOf } from "../../system/tmux-servers.ts";
import type { FoundPane } from "./clients.ts";
import type { FreshTranscript } from "./transcripts.ts";

/** Who on the roll is watched by what. */
export function rollOf(agents: readonly Agent[], env: NodeJS.ProcessEnv) {
  const watched = agents.flatMap(({ id, signals }) => {
    const { data } = signalSettings.safeParse(signals);
    return data === undefined ? [] : [{ id, ...data }];
  });
  return {
    /** The agent that is watched in this pane. */
    paneHolder(
      { server, pane }: Pick<FoundPane, "server" | "pane">,
      panes: readonly Pane[],
    ): string | undefined {
      return watched.find(({ tmux }) => {
        if (tmux === undefined || socketPathOf(tmux, env) !== socketPathOf(server, env)) return false;
        return paneOf(panes, tmux)?.id === pane.id;
      })?.id;
    },
    /** The agent that is watched by processes with such a command line. */
    processHolder(match: string): string | undefined {
      return watched.find(({ process }) => process?.match === match)?.id;
    },
    /** The tmux servers that agents name by the paths of their sockets: these may be anywhere. */
    servers(): readonly TmuxServer[] {
      const paths = watched.flatMap(({ tmux }) => (tmux?.socketPath === undefined ? [] : [tmux.socketPath]));
      return [...new Set(paths)].map((socketPath) => ({ socketPath }));
    },
    /** The agent whose transcript this is. */
    async transcriptHolder(found: FreshTranscript, now: Instant): Promise<string | undefined> {
      for (const { id, transcript } of watched) {
        if (transcript === undefined) continue;
        const { client, cwd = "", path, folder } = transcript;
        const keys = { agent: id };
        if (client !== undefined) {
          const filled = fillTemplate(cwd, keys);
          const its = "path" in filled ? filled.path.replace(/(?<=.)\/+$/, "") : cwd;
          if (client === found.client && its === found.cwd) return id;
          continue;
        }
        const place = { ...(path && { path }), ...(folder && { folder }), keys };
        const file = await sessionLog(place).find(now);
        if ("path" in file && file.path === found.path) return id;
      }
      return undefined;
    },
  };
}
