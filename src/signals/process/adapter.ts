import type { SignalAdapter } from "../kit/adapter.ts";
import { processSignal } from "./index.ts";
import { processSettings } from "./settings.ts";

const settings = processSettings.meta({ description: "its process" });

export const processAdapter: SignalAdapter<"process", typeof settings> = {
  kind: "process",
  settings,
  paths: ["pidFile", "journal"],
  open: (process, { memory, journal, proc }) =>
    processSignal(process.journal === true ? { ...process, journal } : process, memory, proc),
};
