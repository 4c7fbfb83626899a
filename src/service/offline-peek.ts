import { journalPath } from "../agent/journal.ts";
import { agentsOf, loadConfig } from "../config/load.ts";
import type { Home } from "../home/home.ts";
import { NothingToShow } from "../ports/signal.ts";
import { signalOpener } from "../signals/registry.ts";
import { showAgent } from "../signals/run-log.ts";

/** Looks at what the config names of an agent. */
export async function peekOffline(
  home: Home,
  configFile: string | undefined,
  agent: string,
  how: "screen" | "raw",
): Promise<string> {
  const config = await loadConfig(home.path, configFile);
  const settings = agentsOf(config, Date.now()).find(({ id }) => id === agent)?.signals;
  const open = signalOpener(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const readers =
    settings === undefined
      ? []
      : open({ agent, settings, memories: {}, journal: journalPath(agent, home.path) });
  try {
    const shown = await showAgent(readers, how, { agent, home: home.path, open });
    if (shown !== undefined) return shown;
    throw new NothingToShow(`agent "${agent}" has no log and no tmux pane in the config to show`);
  } finally {
    for (const reader of readers) reader.close();
  }
}
