import type { SignalAdapter } from "../kit/adapter.ts";
import { systemdSignal } from "./index.ts";
import { systemdSettings } from "./settings.ts";

const settings = systemdSettings.meta({ description: "its systemd unit" });

export const systemdAdapter: SignalAdapter<"systemd", typeof settings> = {
  kind: "systemd",
  settings,
  paths: [],
  open: (unit, { memory, proc }) => systemdSignal(unit, memory, { proc }),
};
