import { existsSync } from "node:fs";
import type { Message } from "../../core/delivery/message.ts";
import type { Receipt } from "../../core/delivery/receipt.ts";
import { environmentFor } from "../../core/environment.ts";
import type { Channel } from "../../ports/channel.ts";
import { type Runner, run } from "../../system/exec.ts";
import type { SecretDeps } from "../../system/secret.ts";
import { attachedTerminals, writeToTerminal } from "../../system/tmux-clients.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { compose, type Dress, headline } from "../kit/compose.ts";
import { guarded } from "../kit/guard.ts";
import { escapeHtml, plain } from "../kit/plain.ts";
import { channelObject } from "../kit/setting-forms.ts";
import { shorten } from "../kit/shorten.ts";

const desktopSettings = channelObject("desktop", {});

/** A bubble on a screen shows a few lines. */
const DRESS: Dress = { limit: 1000, line: escapeHtml, command: escapeHtml, link: escapeHtml };
const LONGEST_TITLE = 200;
/** A terminal shows one line. */
const LONGEST_LINE = 300;
const LONGEST_KEY = 200;

const URGENCY: Readonly<Record<Message["severity"], string>> = {
  info: "low",
  resolved: "low",
  warning: "normal",
  critical: "critical",
};

/** With these notify-send finds the session of the person. */
const FINDS = ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "TMUX_TMPDIR"];

export const desktopChannel: ChannelAdapter<typeof desktopSettings> = {
  kind: "desktop",
  settings: desktopSettings,
  open: (_, { env }) => openDesktop(env),
};

/** A notification on this machine: by notify-send, else in the terminals that are attached to tmux. */
function openDesktop(daemon: SecretDeps["env"]): Channel {
  return guarded("desktop", async ({ key, message, abort }): Promise<Receipt> => {
    const env = environmentFor(daemon, { passEnv: FINDS, env: busOf(daemon) });
    const ask: Runner = (program, args) => run(program, args, { env, signal: abort, killSignal: "SIGKILL" });
    const noted = await ask("notify-send", bubble(message, key));
    if (noted.how === "ended" && noted.status === 0) return { outcome: "sent" };
    const terminals = await attachedTerminals(ask, { ...daemon });
    const written = await Promise.all(
      terminals.map(({ tty, kind }) => writeToTerminal(tty, sequences(message, kind))),
    );
    if (written.includes(true)) return { outcome: "sent" };
    return { outcome: "retry", problem: `${whyNot(noted)}, and no terminal is attached to tmux` };
  });
}

/** A daemon that was not started in the person's session finds its bus at the usual place. */
function busOf({ DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR }: SecretDeps["env"]): Record<string, string> {
  const bus = `${XDG_RUNTIME_DIR ?? `/run/user/${process.getuid?.()}`}/bus`;
  return DBUS_SESSION_BUS_ADDRESS === undefined && existsSync(bus)
    ? { DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}` }
    : {};
}

function bubble(message: Message, key: string): string[] {
  const hint = `string:x-rollcall-key:${shorten(plain(key), LONGEST_KEY)}`;
  const title = shorten(headline(message), LONGEST_TITLE);
  const urgency = `--urgency=${URGENCY[message.severity]}`;
  return ["--app-name=Rollcall", urgency, `--hint=${hint}`, "--", title, compose(message, key, DRESS)];
}

/** rxvt and foot read OSC 777; other terminals that show notifications read OSC 9. The others ignore both and ring. */
function sequences(message: Message, kind: string): string {
  const title = shorten(plain(message.title) || "(no title)", LONGEST_LINE);
  if (/foot|rxvt/.test(kind)) {
    const body = shorten(plain(message.lines[0] ?? ""), LONGEST_LINE);
    return `\u001b]777;notify;Rollcall: ${title.replaceAll(";", ",")};${body}\u001b\\\u0007`;
  }
  return `\u001b]9;Rollcall: ${title}\u001b\\\u0007`;
}

function whyNot(noted: Awaited<ReturnType<Runner>>): string {
  if (noted.how === "missing") return "notify-send is not installed";
  if (noted.how === "failed") return noted.problem;
  const said = shorten(plain(noted.stderr), LONGEST_LINE);
  return `notify-send failed${said === "" ? ` with exit ${noted.status}` : `: ${said}`}`;
}
