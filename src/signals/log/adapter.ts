import { given, ruledBy, type SignalAdapter } from "../kit/adapter.ts";
import { logSignal } from "./log.ts";
import { logSettings } from "./settings.ts";
import { StillLogs } from "./still.ts";

const settings = logSettings.meta({ description: "its session log" });

/** The logs that rest, of all agents of this process. */
const stills = new StillLogs();

export const logAdapter: SignalAdapter<"log", typeof settings> = {
  kind: "log",
  settings,
  paths: ["path", "folder"],
  open(log, deps) {
    // The pane is looked at before its log, so that what it wrote can be expected there.
    const pane = deps.before.find(({ signal }) => signal === "tmux");
    const fedBy = pane?.wroteAt === undefined ? {} : { paneWroteAt: pane.wroteAt };
    const more = { keys: { agent: deps.agent, ...log.keys }, screens: deps.screens, stills, ...fedBy };
    return ruledBy(deps, (memory) => logSignal({ ...given(log), ...more }, memory));
  },
};
