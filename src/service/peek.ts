import { journalPath } from "../agent/journal.ts";
import { agentsOf, loadConfig } from "../config/load.ts";
import { homeAt } from "../home/home.ts";
import { runningWatcher } from "../home/running-watcher.ts";
import { NothingToShow } from "../ports/signal.ts";
import { signalOpener } from "../signals/registry.ts";
import { ask } from "./client.ts";

/** What a person would see of an agent: through the watcher if one runs, else by looking ourselves. */
export async function peek(
  where: { readonly home?: string; readonly config?: string },
  agent: string,
  how: "screen" | "raw",
): Promise<string> {
  const home = homeAt(where.home);
  const watcher = runningWatcher(home);
  if (watcher?.url !== undefined) {
    const path = `/api/v1/agents/${encodeURIComponent(agent)}/screen?how=${how}`;
    return ((await ask(home, watcher.url, "GET", path)) as { screen: string }).screen;
  }
  const config = await loadConfig(home.path, where.config);
  const settings = agentsOf(config, Date.now()).find(({ id }) => id === agent)?.signals;
  const open = signalOpener(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const readers =
    settings === undefined
      ? []
      : open({ agent, settings, memories: {}, journal: journalPath(agent, home.path) });
  try {
    const shown = await readers.find((reader) => reader.show !== undefined)?.show?.(how);
    if (shown !== undefined) return shown;
    throw new NothingToShow(`"${agent}" names no log and no tmux pane in the config that could be shown`);
  } finally {
    for (const reader of readers) reader.close();
  }
}
