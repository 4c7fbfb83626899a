import { formatDuration } from "../core/duration.ts";
import { sayAddress } from "../store/postgres/address.ts";
import { readNamedFile } from "../system/files.ts";
import { LARGEST_CONFIG } from "./find.ts";
import type { Config } from "./load.ts";
import { isWritten } from "./old-keys.ts";

export interface SettingInForce {
  readonly path: string;
  readonly value: unknown;
  readonly from: "file" | "default";
}

/** Everything that is in force apart from the agents, each with where it came from. Nothing secret is shown. */
export async function settingsOf(config: Config): Promise<readonly SettingInForce[]> {
  const {
    file,
    agents: _,
    foreign: __,
    sessions: ___,
    overlooked: ____,
    rulePacks: _____,
    ...settings
  } = config;
  const given = file === undefined ? {} : await readGiven(file);
  return [...flat(settings, "")].map(([path, value]) => ({
    path,
    value: shown(path, value),
    from: isWritten(given, path) ? "file" : "default",
  }));
}

async function readGiven(file: string): Promise<unknown> {
  try {
    const { parse } = await import("./yaml.ts");
    return parse(readNamedFile(file, LARGEST_CONFIG).toString("utf8")) as unknown;
  } catch {
    // It was fine when it was loaded; what has become of it since is for the next reload to say.
    return {};
  }
}

function* flat(value: unknown, path: string): Generator<[path: string, value: unknown]> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    if (value !== undefined) yield [path, value];
    return;
  }
  for (const [key, each] of Object.entries(value)) yield* flat(each, path === "" ? key : `${path}.${key}`);
}

const LENGTH = /(every|grace|beats|flips|interval|after|timeout|hold|group|remind|jitter)$/i;
const SECRET = /(token|secret|password|key|webhook)$|\.env\.[^.]+$/i;

/** Lengths as people write them. Addresses often hold a secret behind their host: only that is shown. */
function shown(path: string, value: unknown): unknown {
  if (SECRET.test(path)) return "(hidden)";
  if (typeof value === "number") return LENGTH.test(path) ? formatDuration(value) : value;
  if (Array.isArray(value)) return value.map((each) => (typeof each === "object" ? "…" : shown(path, each)));
  return typeof value === "string" ? hostOnly(value) : value;
}

/** A text; of an address only what is before its path. */
function hostOnly(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return text;
  const { protocol, host, pathname, search } = new URL(text);
  return `${protocol}//${host}${pathname.length > 1 || search !== "" ? "/…" : ""}`;
}

/** The config as it may be shown: addresses, such as that of a webhook, may hold a secret. */
export function withoutSecrets(config: Config): Config {
  const { store } = config;
  const shown = inAll(config, hostOnly);
  return store?.url === undefined ? shown : { ...shown, store: { url: sayAddress(store.url) } };
}

function inAll<T>(value: T, change: (text: string) => string): T;
function inAll(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each: unknown) => inAll(each, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inAll<unknown>(each, change)]));
}
