import type { Instant } from "../../core/duration.ts";
import type { SignalReader } from "../../ports/signal.ts";
import type { SignalAdapter, SignalDeps } from "../kit/adapter.ts";
import { partsOf } from "../kit/look-once.ts";
import { screenFacts } from "../screens/screen-facts.ts";
import { tmuxSignal } from "./index.ts";
import { type TmuxSettings, tmuxSettings } from "./settings.ts";

const settings = tmuxSettings.meta({ description: "its tmux session or pane" });

export const tmuxAdapter: SignalAdapter<"tmux", typeof settings> = {
  kind: "tmux",
  settings,
  paths: ["socketPath"],
  open: paneSignal,
};

/** A tmux pane with a reader for its screen; both remember together. */
function paneSignal(where: TmuxSettings, { memory, screens, proc, rules }: SignalDeps): SignalReader {
  const kept = partsOf(memory);
  const screen = screenFacts({ signal: "tmux", screens }, kept.rules === rules ? kept.screen : undefined);
  const pane = tmuxSignal(where, kept.pane, {
    proc,
    read: (frame, look) => screen.read(frame, look.fresh, look.abort),
  });
  let wroteAt: Instant | undefined;
  return {
    ...pane,
    signal: "tmux",
    async look(look) {
      const facts = await pane.look(look);
      wroteAt = facts.findLast(({ kind }) => kind === "activity")?.at ?? wroteAt;
      return facts;
    },
    memory: () => ({ pane: pane.memory?.(), screen: screen.memory(), rules }),
    wroteAt: () => wroteAt,
  };
}
