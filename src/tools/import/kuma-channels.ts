import { type Fields, isRecord, OldChannels, textOf, variableFor } from "./imported.ts";

/** A channel, and where the value of each variable comes from. A sentence says why there is none. */
type Made = { readonly settings: object; readonly secrets: Readonly<Record<string, string>> } | string;

/** The notifications of a backup. It holds their secrets: the config names variables instead, and nothing repeats a value. */
export function kumaChannels(list: readonly Fields[]): OldChannels {
  const known = new OldChannels();
  for (const notification of list) {
    const settings = settingsOf(notification);
    const label = textOf(notification.name) ?? textOf(settings.name) ?? `notification ${notification.id}`;
    const name = known.nameFor(label);
    const kind = String(settings.type).toLowerCase();
    const made = Object.hasOwn(KINDS, kind) ? KINDS[kind]?.(settings, name) : undefined;
    if (made === undefined || typeof made === "string") {
      const why = made ?? `Rollcall has no ${textOf(settings.type) ?? "?"} channel`;
      known.notCarried.push(`the notification "${label}": ${why}`);
      continue;
    }
    known.put(String(notification.id), name, made.settings);
    for (const [variable, origin] of Object.entries(made.secrets))
      known.todo.push(`set ${variable} for the channel ${name}: ${origin}`);
  }
  return known;
}

/** A backup keeps the settings as JSON in a text. */
function settingsOf({ config, ...rest }: Fields): Fields {
  if (isRecord(config)) return config;
  try {
    const read: unknown = JSON.parse(String(config));
    return isRecord(read) ? read : rest;
  } catch {
    return rest;
  }
}

const KINDS: Readonly<Record<string, (settings: Fields, name: string) => Made>> = {
  slack: webhookOf("slack", "slackwebhookURL"),
  discord: webhookOf("discord", "discordWebhookUrl"),
  telegram,
  ntfy,
  smtp,
  webhook,
};

function inBackup(field: string): string {
  return `the value of ${field} in the backup`;
}

function webhookOf(kind: string, field: string) {
  return (_: Fields, name: string): Made => {
    const urlEnv = variableFor(name, "URL");
    return { settings: { kind, urlEnv }, secrets: { [urlEnv]: inBackup(field) } };
  };
}

function telegram({ telegramChatID, telegramServerUrl }: Fields, name: string): Made {
  const chat = textOf(String(telegramChatID ?? ""));
  if (chat === undefined) return "it has no chat";
  const tokenEnv = variableFor(name, "TOKEN");
  const other = serverOf(telegramServerUrl, "https://api.telegram.org");
  if (other === undefined) return "the address of its server is invalid or contains a password";
  const settings = {
    kind: "telegram",
    chat: /^-?\d{1,15}$/.test(chat) ? Number(chat) : chat,
    tokenEnv,
    ...other,
  };
  return { settings, secrets: { [tokenEnv]: inBackup("telegramBotToken") } };
}

function ntfy({ ntfytopic, ntfyserverurl, ntfyAuthenticationMethod }: Fields, name: string): Made {
  const topic = textOf(ntfytopic) ?? "";
  if (!/^[-\w]{1,64}$/.test(topic)) return "its topic has characters other than letters, digits, - and _";
  if (ntfyAuthenticationMethod === "usernamePassword")
    return "it logs in with a password; create an access token, and add { kind: ntfy, topic: TOPIC, tokenEnv: VARIABLE }";
  const other = serverOf(ntfyserverurl, "https://ntfy.sh");
  if (other === undefined) return "the address of its server is invalid or contains a password";
  if (ntfyAuthenticationMethod !== "accessToken")
    return { settings: { kind: "ntfy", topic, ...other }, secrets: {} };
  const tokenEnv = variableFor(name, "TOKEN");
  const secrets = { [tokenEnv]: inBackup("ntfyaccesstoken") };
  return { settings: { kind: "ntfy", topic, tokenEnv, ...other }, secrets };
}

/** The address of a server of one's own; undefined if it cannot stand in a config. */
function serverOf(value: unknown, usual: string): { url?: string } | undefined {
  const url = textOf(value);
  if (url === undefined || url.replace(/\/$/, "") === usual) return {};
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return undefined;
  const { username, password } = new URL(url);
  return username === "" && password === "" ? { url } : undefined;
}

const ADDRESS = /[^\s<>@,;"]+@[^\s<>@,;"]+/;

function smtp(settings: Fields, name: string): Made {
  const from = ADDRESS.exec(textOf(settings.smtpFrom) ?? "")?.[0];
  const to = (textOf(settings.smtpTo) ?? "").split(",").flatMap((one) => ADDRESS.exec(one)?.[0] ?? []);
  const host = textOf(settings.smtpHost);
  if (from === undefined || to.length === 0 || host === undefined)
    return "it lacks a sender, a recipient or a host";
  const port = Number(settings.smtpPort);
  const user = textOf(settings.smtpUsername);
  const passwordEnv = variableFor(name, "PASSWORD");
  const login = user === undefined ? {} : { user, passwordEnv };
  const where = Number.isInteger(port) && port > 0 && port < 65_536 ? { host, port } : { host };
  return {
    settings: { kind: "email", from, to, ...where, ...login },
    secrets: user === undefined ? {} : { [passwordEnv]: inBackup("smtpPassword") },
  };
}

/** Rollcall's body is another one, and is signed: the far side has to be taught both. */
function webhook(_: Fields, name: string): Made {
  const [urlEnv, secretEnv] = [variableFor(name, "URL"), variableFor(name, "SECRET")];
  const secrets = {
    [urlEnv]: inBackup("webhookURL"),
    [secretEnv]: "a new secret, which signs the messages (docs/channels.md)",
  };
  return { settings: { kind: "webhook", urlEnv, secretEnv }, secrets };
}
