import * as z from "zod";
import { given } from "../../core/given.ts";
import type { Command, Step } from "../../core/recovery/ladder.ts";
import { extraEnvironment } from "../../ports/extra-environment.ts";
import { mapping, text, yesNo } from "../../ports/setting-forms.ts";
import type { Mistake } from "./adapter.ts";

const COMMAND = "a program with its arguments as a list, or a command line for /bin/sh";
const UNIT = "a systemd unit such as bot.service";
const WEBHOOK = "an address such as https://example.org/release";

const commandLine = z.union([text(COMMAND), z.tuple([text(COMMAND)], z.string())], { error: COMMAND });

/** How a restart or a release is made, as the config writes it under `with`. */
export const way = mapping({
  command: commandLine.meta({ description: COMMAND }).optional(),
  cwd: text("a folder")
    .meta({ description: "the folder in which the command runs; else the home folder of the watcher's user" })
    .optional(),
  ...extraEnvironment,
  run: z
    .literal(true, { error: "true" })
    .meta({ description: "runs the command as the agent's next cycle, under rollcall run" })
    .optional(),
  resume: z
    .literal(true, { error: "true" })
    .meta({ description: "starts the command, a coding agent's client, in the agent's last conversation" })
    .optional(),
  unit: text(UNIT)
    .regex(/^[A-Za-z0-9][A-Za-z0-9:_.@\\-]*$/, UNIT)
    .meta({ description: UNIT })
    .optional(),
  user: yesNo
    .meta({ description: "true for a unit of the user's own systemd (systemctl --user)" })
    .optional(),
  respawn: z
    .literal(true, { error: "true" })
    .meta({ description: "starts the program in the agent's tmux pane again" })
    .optional(),
  webhook: z
    .url({ protocol: /^https?$/, error: WEBHOOK })
    .meta({ description: WEBHOOK })
    .optional(),
})
  .meta({ description: "how to restart the agent, or to release its work" })
  .optional();

type Way = NonNullable<z.output<typeof way>>;

/** The command that is named, if one is. */
export function commandOf({ command, cwd, env, passEnv }: Way): Command | Mistake | undefined {
  if (command === undefined)
    return (env ?? passEnv) === undefined
      ? undefined
      : { path: "with", message: "env and passEnv only together with a command" };
  return given({ command, cwd, env, passEnv });
}

/** How a step is made, as the config writes it. */
export function writtenWay(how: Extract<Step, { readonly with: unknown }>["with"]): object {
  if (how.by === "respawn") return { respawn: true };
  if (how.by === "webhook") return { webhook: how.url };
  const { by, ...rest } = how;
  if (by === "resume") return { ...rest, resume: true };
  return by === "run" ? { ...rest, run: true } : rest;
}
