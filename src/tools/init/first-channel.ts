import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { runProgram } from "../../system/exec.ts";
import { attachedTerminals } from "../../system/tmux-clients.ts";

/** The kinds that a first config can have: each needs one thing to be known, or none. */
export const FIRST_CHANNELS = ["desktop", "ntfy", "telegram", "slack", "discord", "webhook"] as const;
export type FirstChannelKind = (typeof FIRST_CHANNELS)[number];

export interface FirstChannel {
  readonly name: string;
  readonly settings: object;
  /** Goes to a file of the home that only its owner reads. */
  readonly secret?: { readonly file: string; readonly text: string };
  /** What a person must know of it. */
  readonly note?: string;
}

/** What each kind needs besides its secret, and where its secret may already be. */
export const NEEDS: Readonly<
  Record<
    FirstChannelKind,
    { readonly value?: string; readonly secret?: readonly [variable: string, what: string] }
  >
> = {
  desktop: {},
  ntfy: {},
  telegram: {
    value: "the id of the chat, such as -1001234567890",
    secret: ["TELEGRAM_BOT_TOKEN", "the bot's token"],
  },
  slack: { secret: ["SLACK_WEBHOOK_URL", "the address of an incoming webhook"] },
  discord: { secret: ["DISCORD_WEBHOOK_URL", "the address of a webhook"] },
  webhook: { value: "the address that gets a POST for each message" },
};

/** The settings of a channel. */
export function firstChannel(
  kind: FirstChannelKind,
  value: string | undefined,
  secret: string | undefined,
  home: string,
): FirstChannel {
  const file = join(home, "secrets", kind);
  const kept = secret === undefined ? {} : { secret: { file, text: secret } };
  switch (kind) {
    case "desktop":
      return { name: kind, settings: { kind } };
    case "ntfy": {
      const topic = value ?? `rollcall-${randomBytes(8).toString("hex")}`;
      const note = `subscribe to it in the ntfy app: https://ntfy.sh/${topic} (whoever knows this name can read it)`;
      return { name: kind, settings: { kind, topic }, note };
    }
    case "telegram": {
      const chat = /^-?\d+$/.test(value ?? "") ? Number(value) : value;
      return { name: kind, settings: { kind, chat, tokenFile: file }, ...kept };
    }
    case "webhook":
      return {
        name: kind,
        settings: { kind, url: value, secretFile: file },
        secret: { file, text: randomBytes(24).toString("base64url") },
        note: `the receiver checks signatures with the secret in ${file} (docs/channels.md#the-webhook)`,
      };
    default:
      return { name: kind, settings: { kind, urlFile: file }, ...kept };
  }
}

/** Whether a notification on this machine would be seen now. */
export async function desktopIsThere(env: NodeJS.ProcessEnv): Promise<boolean> {
  const session = (env.DISPLAY ?? env.WAYLAND_DISPLAY ?? "") !== "";
  if (session && (await runProgram("notify-send", ["--version"])).how === "ended") return true;
  return (await attachedTerminals(runProgram, env)).length > 0;
}
