import { formatDuration, SECOND } from "../../core/duration.ts";
import {
  agentsOf,
  type Fields,
  ImportError,
  type Imported,
  isRecord,
  parseJson,
  policyFor,
  secondsOf,
  textOf,
} from "./imported.ts";
import { kumaChannels } from "./kuma-channels.ts";

const EXPECTED =
  'a backup of Uptime Kuma, such as {"version": "1.23.1", "notificationList": […], "monitorList": […]}';

/** Kuma calls a push late at once; Rollcall needs some grace. */
const LEAST_GRACE = 10 * SECOND;

/** Monitors of addresses become agents with an `http` signal, push monitors become agents that beat. */
export function importUptimeKuma(text: string, file: string): Imported {
  const value = parseJson(text, file, EXPECTED);
  const all = isRecord(value) ? listOf(value.monitorList) : undefined;
  if (!isRecord(value) || all === undefined)
    throw new ImportError(`${file} is not a backup of Uptime Kuma; expected ${EXPECTED}`);
  const known = kumaChannels(listOf(value.notificationList) ?? []);
  const groups = new Map(
    all.filter(({ type }) => type === "group").map(({ id, name }) => [id, textOf(name)] as const),
  );
  const monitors = all.filter(({ type }) => type !== "group");
  const watched = monitors.map((monitor) => {
    const label = textOf(monitor.name) ?? `monitor ${monitor.id}`;
    const isPush = monitor.type === "push";
    const settings = isPush ? pushed(monitor) : asked(monitor);
    const group = groups.get(monitor.parent);
    const isPaused = monitor.active === false || monitor.active === 0;
    const calls = (id: string) =>
      isPush ? [`: call http://127.0.0.1:7766/beat/${id} instead of its push address`] : [];
    return {
      label,
      settings: typeof settings === "string" ? settings : { name: label, group, ...settings },
      pace: isPush || typeof settings === "string" ? [] : [secondsOf(monitor.interval) ?? 60 * SECOND],
      // A beat waits its grace; an address that fails has its retries before people hear of it.
      after: isPush ? 0 : retriesOf(monitor),
      to: known.of(idsIn(monitor.notificationIDList)),
      leftOut: leftOut(monitor),
      todo: (id: string) => [...calls(id), ...(isPaused ? [` is paused: rollcall agents pause ${id}`] : [])],
    };
  });
  const { agents, told, canGo, notCarried, todo } = agentsOf("monitor", watched, known);
  const paces = watched.flatMap(({ pace }) => pace);
  const livenessInterval = paces.length === 0 ? undefined : formatDuration(Math.min(...paces));
  if (new Set(paces).size > 1)
    notCarried.push(
      `the monitors have different intervals; Rollcall checks all of them every ${livenessInterval}`,
    );
  const config = { livenessInterval, agents, channels: known.settings, ...policyFor(told, known.names) };
  return { config, wakes: [], canGo, notCarried, todo };
}

/** A backup has lists; what the API gives has objects by id. */
function listOf(value: unknown): readonly Fields[] | undefined {
  if (Array.isArray(value)) return value.filter(isRecord);
  return isRecord(value) ? Object.values(value).filter(isRecord) : undefined;
}

function idsIn(ids: unknown): readonly string[] {
  return isRecord(ids) ? Object.keys(ids).filter((id) => ids[id] === true) : [];
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
  if (isSet(monitor.upsideDown))
    return "it is in upside-down mode, and Rollcall cannot require that an address does not answer";
  const url = textOf(monitor.url) ?? "";
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return "its address is not http or https";
  if (new URL(url).password !== "") return "its address contains a password, and a config must not";
  const method = textOf(monitor.method)?.toUpperCase() ?? "GET";
  if (!METHODS.has(method)) return `Rollcall does not send ${method} requests`;
  const [status = "200-299"] = statusesOf(monitor);
  // Kuma follows redirections, Rollcall takes one for an answer.
  const expect = status === "200-299" && maxredirects !== 0 ? "200-399" : status;
  const timeoutMs = Math.min(60 * SECOND, Math.round(secondsOf(timeout) ?? 48 * SECOND));
  return { http: { url, method: method === "GET" ? undefined : method, expect, timeoutMs } };
}

function isSet(value: unknown): boolean {
  return value === true || value === 1;
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
  const { type, headers, body, basic_auth_user: user, authMethod, tags } = monitor;
  const others = type === "push" ? [] : statusesOf(monitor).slice(1);
  const lost: readonly (readonly [boolean, string])[] = [
    [type === "keyword", "the keyword: Rollcall checks only the status of the answer"],
    [type === "json-query", "the query: Rollcall checks only the status of the answer"],
    [others.length > 0, `the other good statuses ${others.join(", ")}`],
    [[headers, body].some(textOf), "the headers and the body of its request"],
    [[user, authMethod].some(textOf), "its login"],
    [isSet(monitor.ignoreTls), "the rule that bad certificates are accepted"],
    [isSet(monitor.expiryNotification), "the warning before a certificate expires"],
    [typeof monitor.proxyId === "number", "its proxy"],
    [Array.isArray(tags) && tags.length > 0, "its tags"],
  ];
  return lost.flatMap(([isLost, what]) => (isLost ? what : []));
}
