import { basename } from "node:path";
import * as z from "zod";
import type { Receipt } from "../../core/delivery/receipt.ts";
import { iso } from "../../core/duration.ts";
import { environmentFor } from "../../core/environment.ts";
import type { Channel, Dispatch } from "../../ports/channel.ts";
import { extraEnvironment } from "../../ports/extra-environment.ts";
import { text } from "../../ports/setting-forms.ts";
import { systemClock } from "../../system/clock.ts";
import { startGroup, tailOf } from "../../system/exec.ts";
import { type SecretDeps, withoutSecrets } from "../../system/secret.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { envelope } from "../kit/envelope.ts";
import { guarded } from "../kit/guard.ts";
import { plain } from "../kit/plain.ts";
import { channelObject } from "../kit/setting-forms.ts";
import { shorten } from "../kit/shorten.ts";

const ARGV =
  "a list such as [/usr/local/bin/tell, --urgent]: a program and its arguments, run without a shell";

const commandSettings = channelObject("command", {
  argv: z
    .array(text(ARGV), { error: ARGV })
    .min(1, ARGV)
    .meta({ description: "the program to run for each message" }),
  ...extraEnvironment,
});

type CommandSettings = z.output<typeof commandSettings>;

/** EX_TEMPFAIL of sysexits: the program asks to be run again. */
const TRY_AGAIN = 75;
/** What of its error output is kept, and what of that is told: the end, where the cause stands. */
const KEPT = 4096;
const TOLD = 200;
const LONGEST_VALUE = 1000;
const AFTER_EXIT = 1000;
/** Why a program cannot be run, now or later. */
const LASTING: readonly unknown[] = ["ENOENT", "EACCES", "ENOEXEC", "ENOTDIR"];

export const commandChannel: ChannelAdapter<typeof commandSettings> = {
  kind: "command",
  settings: commandSettings,
  open: (settings, { env }) => openCommand(settings, env),
};

/** A program from the config, run without a shell. It leads a group of its own, which ends as a whole. */
function openCommand({ argv, ...extra }: CommandSettings, daemon: SecretDeps["env"]): Channel {
  const [program = "", ...args] = argv;
  const name = basename(program);
  return guarded("command", async (dispatch): Promise<Receipt> => {
    const child = startGroup([program, ...args], {
      env: { ...environmentFor(daemon, extra), ...variables(dispatch) },
      stdio: ["pipe", "ignore", "pipe"],
    });
    const errors = tailOf(child.stderr, KEPT);
    dispatch.abort.addEventListener("abort", child.kill);
    child.stdin?.end(`${envelope(dispatch)}\n`);
    const { code, signal, failure } = await child.ended;
    if (failure !== undefined) {
      const problem = `${name} cannot be run (${failure.code}); check argv`;
      return { outcome: LASTING.includes(failure.code) ? "refused" : "retry", problem };
    }
    // What it wrote is read to its end, unless somebody whom it started keeps the pipe open.
    const cancel = systemClock.after(AFTER_EXIT, () => child.stderr?.destroy());
    await child.closed;
    cancel();
    dispatch.abort.removeEventListener("abort", child.kill);
    return receiptOf(name, code, signal, told(errors(), { ...daemon, ...extra.env }));
  });
}

function variables({ key, message, at, attempt }: Dispatch): Record<string, string> {
  const value = (text: string) => shorten(plain(text), LONGEST_VALUE);
  return {
    ROLLCALL_KEY: value(key),
    ROLLCALL_SEVERITY: message.severity,
    ROLLCALL_TITLE: value(message.title),
    ROLLCALL_AT: iso(at),
    ROLLCALL_ATTEMPT: String(attempt),
  };
}

function receiptOf(name: string, status: number | null, signal: string | null, said: string): Receipt {
  if (status === 0) return { outcome: "sent" };
  if (status === null) return { outcome: "retry", problem: `${name} was ended by ${signal}${said}` };
  if (status === TRY_AGAIN)
    return { outcome: "retry", problem: `${name} asked for another attempt (exit 75)${said}` };
  const problem = `${name} ended with exit ${status} (exit 75 would ask for another attempt)${said}`;
  return { outcome: "refused", problem };
}

/** A program may write its environment, and the config may pass secrets on to it. */
function told(errors: string, env: SecretDeps["env"]): string {
  const secrets = Object.entries(env)
    .filter(([name]) => /TOKEN|SECRET|PASS|KEY|URL|DSN|AUTH|CRED/i.test(name))
    .map(([, value]) => value ?? "");
  const text = plain(withoutSecrets(errors, secrets));
  return text === "" ? "" : `: ${text.length > TOLD ? `…${text.slice(-TOLD).toWellFormed()}` : text}`;
}
