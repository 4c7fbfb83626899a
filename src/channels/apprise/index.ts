import type * as z from "zod";
import type { Message } from "../../core/delivery/message.ts";
import type { Receipt } from "../../core/delivery/receipt.ts";
import { environmentFor } from "../../core/environment.ts";
import type { Channel } from "../../ports/channel.ts";
import { text } from "../../ports/setting-forms.ts";
import { startGroup, tailOf } from "../../system/exec.ts";
import type { FoundSecret, SecretDeps, SecretReader } from "../../system/secret.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { compose, type Dress } from "../kit/compose.ts";
import { guarded, guardedBy } from "../kit/guard.ts";
import { deliver, type HttpService, jsonOf } from "../kit/http.ts";
import { defuse, plain } from "../kit/plain.ts";
import { channelObject, oneSecret, openAddress, secretIn } from "../kit/setting-forms.ts";
import { shorten } from "../kit/shorten.ts";

const CONFIG = "the path of a config file of Apprise, such as ~/.config/apprise/apprise.yml";

const appriseSettings = channelObject("apprise", {
  url: openAddress("http://127.0.0.1:8000").meta({ description: "the server of Apprise's API" }).optional(),
  ...secretIn("key", "contains the key under which the API keeps its configuration"),
  config: text(CONFIG)
    .meta({ description: "for the command apprise: its config file, which names the services" })
    .optional(),
})
  .superRefine(oneSecret("key", "optional"))
  .superRefine(({ url, config, keyEnv, keyFile }, context) => {
    const add = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if ((url === undefined) === (config === undefined)) add("url", "either url, with a key, or config");
    else if (url !== undefined && keyEnv === undefined && keyFile === undefined)
      add("keyEnv", "keyEnv or keyFile");
  });

type AppriseSettings = z.output<typeof appriseSettings>;

/** The services behind Apprise differ: this fits into nearly all of them. */
const DRESS: Dress = {
  limit: 1900,
  line: defuse,
  command: (command) => `$ ${command}`,
  link: (link) => link,
  footer: (key) => `ref ${key}`,
};
const TITLE = 200;
const KEPT = 4096;
const TOLD = 200;

const TYPES: Readonly<Record<Message["severity"], string>> = {
  info: "info",
  resolved: "success",
  warning: "warning",
  critical: "failure",
};

export const appriseChannel: ChannelAdapter<typeof appriseSettings> = {
  kind: "apprise",
  settings: appriseSettings,
  open: ({ config, ...settings }, { env, secret }) =>
    config === undefined ? openApi(settings, secret("key")) : openCommand(config, env),
};

function wordsOf(message: Message, key: string) {
  const title = shorten(plain(message.title) || "(no title)", TITLE, defuse);
  return { title, body: compose(message, key, DRESS), type: TYPES[message.severity] };
}

/** A server of Apprise's API, which keeps the services under a key. */
function openApi({ url = "" }: Omit<AppriseSettings, "config">, key: SecretReader): Channel {
  const form = [/^[\w-]{1,128}$/, "a key of up to 128 letters, digits, - and _"] as const;
  return guardedBy("apprise", key, form, async ({ key: own, message, abort }, found) => {
    const address = new URL(`${url.replace(/\/+$/, "")}/notify/${found.value}`);
    const body = JSON.stringify({ ...wordsOf(message, own), format: "text" });
    const post = { url: address, headers: { accept: "application/json" }, body };
    const receipt = await deliver(own, post, apprise(found), abort);
    if (receipt.outcome !== "retry" || !receipt.problem.startsWith("204:")) return receipt;
    return { outcome: "refused", problem: `204: Apprise keeps nothing under the key in ${found.place}` };
  });
}

function apprise({ value, place }: FoundSecret): HttpService {
  return {
    name: "Apprise",
    secrets: [value],
    advice: {
      404: `check the key in ${place}, and the url`,
      424: "Apprise could not reach one of its services; its log says which",
      other: "Apprise refused it; check the url and the key",
    },
    isGood: ({ status }) => status !== 204,
    reason: (reply) => jsonOf(reply).error,
  };
}

/** The command `apprise` with a config file of its own: no service's address stands in a list of processes. */
function openCommand(config: string, daemon: SecretDeps["env"]): Channel {
  return guarded("apprise", async ({ key, message, abort }): Promise<Receipt> => {
    const { title, body, type } = wordsOf(message, key);
    const options = [
      "--config",
      config,
      "--title",
      title,
      "--notification-type",
      type,
      "--input-format",
      "text",
    ];
    const child = startGroup(["apprise", ...options], {
      env: environmentFor(daemon),
      stdio: ["pipe", "ignore", "pipe"],
    });
    const errors = tailOf(child.stderr, KEPT);
    abort.addEventListener("abort", child.kill);
    child.stdin?.end(body);
    const { code, signal, failure } = await child.ended;
    abort.removeEventListener("abort", child.kill);
    if (failure !== undefined)
      return {
        outcome: "refused",
        problem: `apprise cannot be run (${failure.code}); install it, or use url`,
      };
    if (code === 0) return { outcome: "sent" };
    const said = plain(errors()).slice(-TOLD);
    const why = said === "" ? "" : `: ${said}`;
    if (code === null) return { outcome: "retry", problem: `apprise was ended by ${signal}${why}` };
    return { outcome: "refused", problem: `apprise ended with exit ${code}; check ${config}${why}` };
  });
}
