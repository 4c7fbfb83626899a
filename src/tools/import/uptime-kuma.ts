import { formatDuration, SECOND } from "../../core/duration.ts";
import {
  ImportError,
  type Imported,
  isRecord,
  type OldLine,
  parseJson,
  secondsOf,
  textOf,
} from "./imported.ts";
import { kumaChannels } from "./kuma-channels.ts";
import { Names } from "./names.ts";
import { policyFor, type Told } from "./routes.ts";

type Fields = Readonly<Record<string, unknown>>;

const EXPECTED =
  'a backup of Uptime Kuma, such as {"version": "1.23.1", "notificationList": […], "monitorList": […]}';

/** Kuma calls a push late at once; Rollcall needs some grace. */
const LEAST_GRACE = 10 * SECOND;

/** Monitors of addresses become agents with an `http` signal, push monitors become agents that beat. */
export function importUptimeKuma(text: string, file: string): Imported {
  const value = parseJson(text, file, EXPECTED);
  const monitors = isRecord(value) ? listOf(value.monitorList) : undefined;
  if (!isRecord(value) || monitors === undefined)
    throw new ImportError(`${file} is not a backup of Uptime Kuma; expected ${EXPECTED}`);
  const kuma = kumaChannels(listOf(value.notificationList) ?? []);
  const groups = new Map(
    monitors.filter(({ type }) => type === "group").map(({ id, name }) => [id, textOf(name)] as const),
  );
  const names = new Names();
  const agents: object[] = [];
  const told: Told[] = [];
  const paces: number[] = [];
  const canGo: OldLine[] = [];
  const notCarried: string[] = [...kuma.notCarried];
  const todo: string[] = [...kuma.todo];
  for (const monitor of monitors) {
    if (monitor.type === "group") continue;
    const label = textOf(monitor.name) ?? `monitor ${monitor.id}`;
    const watched = monitor.type === "push" ? pushed(monitor) : asked(monitor);
    if (typeof watched === "string") {
      notCarried.push(`${label}: ${watched}`);
      continue;
    }
    const id = names.idFor(label);
    const group = groups.get(monitor.parent);
    agents.push({ id, name: label, ...(group === undefined ? {} : { group }), ...watched });
    // A beat waits its grace; an address that fails has its retries before people hear of it.
    const after = monitor.type === "push" ? 0 : retriesOf(monitor);
    told.push({ agent: id, to: kuma.of(monitor.notificationIDList) ?? kuma.names, after });
    canGo.push({ text: `the monitor "${label}"` });
    notCarried.push(...leftOut(monitor).map((what) => `${label}: ${what}`));
    if (monitor.type === "push")
      todo.push(`${label}: call http://127.0.0.1:7766/beat/${id} instead of its push address`);
    else paces.push(secondsOf(monitor.interval) ?? 60 * SECOND);
    if (monitor.active === false || monitor.active === 0)
      todo.push(`${label} is paused: rollcall agents pause ${id}`);
  }
  const config = {
    ...(paces.length === 0 ? {} : { livenessInterval: formatDuration(Math.min(...paces)) }),
    agents,
    ...(kuma.names.length === 0 ? {} : { channels: kuma.channels }),
    ...policyFor(told, kuma.names),
  };
  if (new Set(paces).size > 1)
    notCarried.push(
      `the monitors have different intervals; Rollcall checks all of them every ${config.livenessInterval}`,
    );
  return { config, wakes: [], canGo, notCarried, todo };
}

/** A backup has lists; what the API gives has objects by id. */
function listOf(value: unknown): readonly Fields[] | undefined {
  if (Array.isArray(value)) return value.filter(isRecord);
  return isRecord(value) ? Object.values(value).filter(isRecord) : undefined;
}

function pushed(monitor: Fields): object | string {
  const every = secondsOf(monitor.interval);
  if (every === undefined) return "it has no interval in seconds";
  const grace = Math.max(LEAST_GRACE, retriesOf(monitor));
  return { every: formatDuration(every), grace: formatDuration(grace) };
}

const ASKED = new Set(["http", "keyword", "json-query"]);
const METHODS = new Set(["GET", "HEAD", "POST", "OPTIONS"]);

function asked(monitor: Fields): object | string {
  const { type, timeout, maxredirects } = monitor;
  if (!ASKED.has(String(type))) return `Rollcall has no monitor of the type "${type}"`;
  if (monitor.upsideDown === true || monitor.upsideDown === 1)
    return "it is in upside-down mode, and Rollcall cannot require that an address does not answer";
  const url = textOf(monitor.url) ?? "";
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return "its address is not http or https";
  if (new URL(url).password !== "") return "its address contains a password, and a config must not";
  const method = textOf(monitor.method)?.toUpperCase() ?? "GET";
  if (!METHODS.has(method)) return `Rollcall does not send ${method} requests`;
  const [status = "200-299"] = statusesOf(monitor);
  // Kuma follows redirections, Rollcall takes one for an answer.
  const expect = status === "200-299" && maxredirects !== 0 ? "200-399" : status;
  const limit = Math.min(60 * SECOND, Math.round(secondsOf(timeout) ?? 48 * SECOND));
  return {
    http: { url, ...(method === "GET" ? {} : { method }), expect, timeoutMs: limit },
  };
}

function statusesOf({ accepted_statuscodes: statuses }: Fields): readonly string[] {
  const all = Array.isArray(statuses) ? statuses.map(String) : [];
  return all.filter((one) => /^[1-5][0-9]{2}(?:-[1-5][0-9]{2})?$/.test(one));
}

function retriesOf({ maxretries, retryInterval, interval }: Fields): number {
  const times = typeof maxretries === "number" ? maxretries : 0;
  return times * (secondsOf(retryInterval) ?? secondsOf(interval) ?? 0);
}

function leftOut(monitor: Fields): string[] {
  const says: string[] = [];
  const statuses = statusesOf(monitor);
  if (monitor.type === "keyword") says.push("the keyword: Rollcall checks only the status of the answer");
  if (monitor.type === "json-query") says.push("the query: Rollcall checks only the status of the answer");
  if (monitor.type !== "push" && statuses.length > 1)
    says.push(`the other good statuses ${statuses.slice(1).join(", ")}`);
  if (textOf(monitor.headers) !== undefined || textOf(monitor.body) !== undefined)
    says.push("the headers and the body of its request");
  if (textOf(monitor.basic_auth_user) !== undefined || textOf(monitor.authMethod) !== undefined)
    says.push("its login");
  if (monitor.ignoreTls === true || monitor.ignoreTls === 1)
    says.push("the rule that bad certificates are accepted");
  if (monitor.expiryNotification === true || monitor.expiryNotification === 1)
    says.push("the warning before a certificate expires");
  if (typeof monitor.proxyId === "number") says.push("its proxy");
  if (Array.isArray(monitor.tags) && monitor.tags.length > 0) says.push("its tags");
  return says;
}
