import { fullScreen } from "./full-screen.ts";

/** Shows what `draw` makes for so many rows and brings it up to date every second, until `q`, Ctrl-C or a signal. */
export function onScreen(draw: (rows: number) => string, refresh: () => Promise<void>): Promise<void> {
  const key = async (pressed: string) => (pressed === "q" || pressed === "Q" ? "end" : undefined);
  return fullScreen(() => ({ draw, refresh, key }));
}
