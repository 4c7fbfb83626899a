import * as z from "zod";
import type { RecoveryAdapter } from "../kit/adapter.ts";
import { commandOf, way } from "../kit/way.ts";
import { release } from "./release.ts";

const settings = z.object({ with: way });

export const releaseStep: RecoveryAdapter<"release", typeof settings> = {
  kind: "release",
  settings,
  read({ with: written = {} }) {
    const command = commandOf(written);
    if (command !== undefined && "path" in command) return command;
    const { run, unit, respawn, webhook } = written;
    if ((run ?? unit ?? respawn) === undefined) {
      if (command !== undefined && webhook === undefined)
        return { do: "release", with: { by: "command", ...command } };
      if (command === undefined && webhook !== undefined)
        return { do: "release", with: { by: "webhook", url: webhook } };
    }
    return { path: "with", message: "exactly one of command and webhook" };
  },
  open: ({ with: how }, deps) => release(how, deps),
};
