import * as z from "zod";
import type { RecoveryAdapter } from "../kit/adapter.ts";
import { commandOf, way, yesNo } from "../kit/way.ts";
import { restart } from "./restart.ts";

const WAYS = "one of command (with run: true for a cycle), unit or respawn: true";

const settings = z.object({
  with: way,
  kill: yesNo.meta({ description: "a restart may end a process that is still running" }).optional(),
});

export const restartStep: RecoveryAdapter<"restart", typeof settings> = {
  kind: "restart",
  settings,
  read({ with: written = {}, kill = false }) {
    const command = commandOf(written);
    if (command !== undefined && "path" in command) return command;
    const { run, unit, user = false, respawn, webhook } = written;
    const named = [command, unit, respawn].filter((each) => each !== undefined);
    if (named.length !== 1 || webhook !== undefined || (run !== undefined && command === undefined))
      return { path: "with", message: WAYS };
    if (command !== undefined)
      return { do: "restart", with: { by: run ? "run" : "command", ...command }, kill };
    return { do: "restart", with: unit === undefined ? { by: "respawn" } : { by: "unit", unit, user }, kill };
  },
  open: ({ with: how, kill }, deps) => restart(how, kill, deps),
};
