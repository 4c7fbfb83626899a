import * as z from "zod";
import { httpSettings } from "./http/settings.ts";
import { logSettings } from "./log/settings.ts";
import { processSettings } from "./process/settings.ts";
import { systemdSettings } from "./systemd/settings.ts";
import { tmuxSettings } from "./tmux/settings.ts";
import { transcriptSettings } from "./transcript/settings.ts";

/** The signals that an agent may name, by their keys in the config. */
export const SIGNALS = {
  log: logSettings,
  tmux: tmuxSettings,
  process: processSettings,
  transcript: transcriptSettings,
  http: httpSettings,
  systemd: systemdSettings,
} as const;

/** The same as one object, to read settings that have been checked before and were stored. */
export const signalSettings = z.strictObject({
  log: logSettings.optional(),
  tmux: tmuxSettings.optional(),
  process: processSettings.optional(),
  transcript: transcriptSettings.optional(),
  http: httpSettings.optional(),
  systemd: systemdSettings.optional(),
});
