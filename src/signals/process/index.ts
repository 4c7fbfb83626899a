import type { SignalAdapter } from "../kit/adapter.ts";
import { processSettings } from "./settings.ts";
import { processSignal } from "./signal.ts";

const settings = processSettings.meta({ description: "its process" });

export const processAdapter: SignalAdapter<"process", typeof settings> = {
  kind: "process",
  settings,
  paths: ["pidFile", "journal"],
  open: (process, { memory, journal, proc }) =>
    processSignal(process.journal === true ? { ...process, journal } : process, memory, proc),
};
