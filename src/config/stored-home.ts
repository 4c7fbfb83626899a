import type { Home } from "../home/home.ts";
import { configFileIn, configText } from "./find.ts";
import { type Config, loadConfig } from "./load.ts";
import { besideConfig } from "./secrets.ts";

/** The home with the place of its store. */
export function storedIn(home: Home, config: Pick<Config, "store" | "file">): Home {
  const { store } = config;
  if (store === undefined) return home;
  const { urlFile } = store;
  return {
    ...home,
    store: urlFile === undefined ? store : { ...store, urlFile: besideConfig(urlFile, config) },
  };
}

/** No agent is needed to find the store. */
const NOBODY = "";

/** The same for a command that needs nothing else of the config. A bad config that names no store is no obstacle. */
export async function storedHome(home: Home, named?: string): Promise<Home> {
  const file = configFileIn(home.path, named);
  if (file === undefined) return home;
  const text = configText(file);
  // Most configs name no store, and need not be parsed for it. With a backslash the word can be written in other ways.
  const namesStore = /\bstore\b/.test(text);
  if (!namesStore && !text.includes("\\")) return home;
  try {
    return storedIn(home, await loadConfig(home.path, named, NOBODY));
  } catch (error) {
    if (namesStore) throw error;
    return home;
  }
}
