import type { SignalAdapter } from "../kit/adapter.ts";
import { httpSignal } from "./index.ts";
import { httpSettings } from "./settings.ts";

const settings = httpSettings.meta({ description: "an address at which it must answer" });

export const httpAdapter: SignalAdapter<"http", typeof settings> = {
  kind: "http",
  settings,
  paths: [],
  open: (address, { memory }) => httpSignal(address, memory),
};
