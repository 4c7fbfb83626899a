import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { DaemonControl } from "../../app/manager.ts";
import { loadConfig } from "../../config/load.ts";
import { MINUTE } from "../../core/duration.ts";
import { nearest } from "../../core/nearest.ts";
import { homeAt } from "../../home/home.ts";
import { ask } from "../../service/client.ts";
import { runNow } from "../../system/exec.ts";
import { Connections } from "../../tools/connect/connect.ts";
import {
  desktopIsThere,
  FIRST_CHANNELS,
  type FirstChannel,
  type FirstChannelKind,
  firstChannel,
  NEEDS,
} from "../../tools/init/first-channel.ts";
import { installSystemd } from "../../tools/install/systemd.ts";
import { askText, askYesNo } from "../input/ask.ts";
import { Failure } from "../output/failure.ts";
import { type CommonOptions, callTheRoll } from "../output/roll.ts";
import { plain, say } from "../output/terminal.ts";
import { connectClients } from "./connect.ts";

export interface InitOptions extends CommonOptions {
  readonly yes?: true;
  readonly print?: true;
  readonly listen?: string;
  readonly channel?: string;
  readonly cron?: true;
  readonly connect: boolean;
  readonly start: boolean;
  readonly crontab?: string;
}

/** Asks a person; `--yes` takes the usual answer. */
export async function agrees(options: InitOptions, question: string, usual = true): Promise<boolean> {
  return options.yes === true ? usual : askYesNo(question, usual);
}

/** The channel that was named, or that a person chooses; without either the desktop, if somebody sits at it. */
export async function chooseChannel(options: InitOptions): Promise<FirstChannel | undefined> {
  const { channel, yes, home } = options;
  const [word = "", value] = channel === undefined ? [] : split(channel);
  const usual = (await desktopIsThere(process.env)) ? "desktop" : "none";
  const kind = channel === undefined ? (yes ? usual : await askKind(usual)) : word;
  if (kind === "none") return undefined;
  if (!isKind(kind))
    throw new Failure(
      `--channel: expected ${FIRST_CHANNELS.join(", ")} or none, not ${JSON.stringify(kind)}`,
      2,
    );
  const needs = NEEDS[kind];
  const given = value ?? (needs.value === undefined ? undefined : await needed(options, kind, needs.value));
  const secret =
    needs.secret === undefined
      ? undefined
      : (process.env[needs.secret[0]] ??
        (await needed(options, kind, `${needs.secret[1]} (or set ${needs.secret[0]})`)));
  return firstChannel(kind, given, secret, homeAt(home).path);
}

function split(text: string): readonly [string, string?] {
  const at = text.indexOf(":");
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function isKind(text: string): text is FirstChannelKind {
  return (FIRST_CHANNELS as readonly string[]).includes(text);
}

async function askKind(usual: string): Promise<string> {
  const kinds = `${FIRST_CHANNELS.join(", ")} or none`;
  for (;;) {
    const said = await askText(`Where to send alerts: ${kinds}? [${usual}]`);
    if (said === "") return usual;
    if (said === "none" || isKind(said)) return said;
    const near = nearest(said, [...FIRST_CHANNELS, "none"]);
    say(
      `There is no "${plain(said)}" here${near === undefined ? "" : `; did you mean ${near}`}. Choose ${kinds}.`,
    );
  }
}

async function needed({ yes }: InitOptions, kind: string, what: string): Promise<string> {
  const said = yes === true ? "" : await askText(`${kind} needs ${what}:`);
  if (said !== "") return said;
  throw new Failure(`--channel ${kind} needs ${what}; give it after a colon: --channel ${kind}:VALUE`, 2);
}

/** How the watcher can be kept running here. */
export function wayToRun(): "systemd" | "background" {
  const scope = process.getuid?.() === 0 ? [] : ["--user"];
  if (!existsSync("/run/systemd/system")) return "background";
  const env = { ...process.env, LC_ALL: "C" };
  return runNow("systemctl", [...scope, "show", "-p", "Version"], { env }).status === 0
    ? "systemd"
    : "background";
}

/** Starts the watcher, or has the one that runs read the config. Answers what was done, and its address. */
export async function startWatcher(
  options: InitOptions,
  way: ReturnType<typeof wayToRun>,
): Promise<{ readonly said: readonly string[]; readonly url: string | undefined }> {
  const { home, config, listen } = options;
  const control = new DaemonControl(options);
  const { url } = control.status();
  if (url !== undefined) {
    await ask(homeAt(home), url, "POST", "/api/v1/watcher/reload", { yes: false }, MINUTE);
    return { said: ["the watcher that runs has read the config"], url };
  }
  if (way === "systemd") {
    const { daemon } = await loadConfig(homeAt(home).path, config);
    const { said } = installSystemd({ home, config, listen, watchdogMs: daemon.watchdogInterval });
    return { said, url: control.status().url };
  }
  const started = await control.start();
  return { said: [`the watcher runs in the background, pid ${started.pid}`], url: started.url };
}

/** The clients that could be connected and are not, and what connects them. */
export function unconnected(options: InitOptions) {
  const connections = new Connections(homeAt(options.home).path, process.env);
  const clients = connections
    .standings()
    .filter(({ isThere, state }) => isThere && state === "not connected")
    .map(({ client }) => client);
  return { clients, connect: () => connectClients(connections, clients, options) };
}

/** Waits until the watcher has looked at each of these agents, but not for long. */
export async function firstLook(
  options: InitOptions,
  ids: readonly string[],
): Promise<Awaited<ReturnType<typeof callTheRoll>>> {
  for (let left = 40; ; left -= 1) {
    const roll = await callTheRoll(options);
    const looked = roll.agents.filter(({ state }) => state !== "new").map(({ id }) => id);
    if (left === 0 || ids.every((id) => looked.includes(id))) return roll;
    await sleep(250);
  }
}
