import { formatDuration } from "../../core/duration.ts";
import { cronProblem } from "../../core/schedule/cron.ts";
import {
  ImportError,
  type Imported,
  isRecord,
  type OldLine,
  parseJson,
  secondsOf,
  textOf,
} from "./imported.ts";
import { Names, variableFor } from "./names.ts";
import { policyFor, type Told } from "./routes.ts";

type Fields = Readonly<Record<string, unknown>>;

const EXPECTED =
  'the reply of GET /api/v3/checks/, such as {"checks": [{"name": "Backup", "timeout": 3600, "grace": 600}]}';
const EXPECTED_CHANNELS =
  'the reply of GET /api/v3/channels/, such as {"channels": [{"id": "…", "name": "Team", "kind": "slack"}]}';

interface Files {
  readonly checks: { readonly file: string; readonly text: string };
  readonly channels?: { readonly file: string; readonly text: string };
}

/** Checks become agents that promise beats; clients ping Rollcall by another address. */
export function importHealthchecks({ checks, channels }: Files): Imported {
  const value = parseJson(checks.text, checks.file, EXPECTED);
  const list = isRecord(value) && Array.isArray(value.checks) ? value.checks : undefined;
  if (list === undefined)
    throw new ImportError(`${checks.file} is not an export of Healthchecks; expected ${EXPECTED}`);
  const known = integrations(channels, value);
  const names = new Names();
  const agents: object[] = [];
  const told: Told[] = [];
  const canGo: OldLine[] = [];
  const notCarried: string[] = [...known.notCarried];
  const todo: string[] = [...known.todo];
  for (const [index, check] of list.entries()) {
    if (!isRecord(check)) {
      notCarried.push(`checks[${index}]: expected a check, such as {"name": "Backup", "timeout": 3600}`);
      continue;
    }
    const label = textOf(check.name) ?? textOf(check.slug) ?? `check ${index + 1}`;
    const promise = promiseOf(check);
    if (typeof promise === "string") {
      notCarried.push(`${label}: ${promise}`);
      continue;
    }
    const id = names.idFor(textOf(check.slug) ?? label);
    agents.push({
      id,
      ...(textOf(check.name) === undefined ? {} : { name: textOf(check.name) }),
      ...promise,
    });
    told.push({ agent: id, to: known.of(check) ?? known.names });
    canGo.push({ text: `the check "${label}"` });
    notCarried.push(...leftOut(check, label));
    todo.push(`${label}: ping http://127.0.0.1:7766/ping/KEY/${id} instead of its old address`);
    if (check.status === "paused") todo.push(`${label} is paused: rollcall agents pause ${id}`);
  }
  if (agents.length > 0)
    todo.unshift("create the KEY for the addresses below: rollcall token create --scope beat --ping-key");
  const config = {
    agents,
    ...(known.names.length === 0 ? {} : { channels: known.channels }),
    ...(known.isKnown ? policyFor(told, known.names) : {}),
  };
  return { config, wakes: [], canGo, notCarried, todo };
}

function promiseOf({ timeout, schedule, tz, grace }: Fields): object | string {
  const more = secondsOf(grace) === undefined ? {} : { grace: formatDuration(secondsOf(grace) ?? 0) };
  const cron = textOf(schedule);
  if (cron === undefined) {
    const every = secondsOf(timeout);
    if (every === undefined) return "it has neither a timeout in seconds nor a schedule";
    return { every: formatDuration(every), ...more };
  }
  const timezone = textOf(tz) ?? "UTC";
  const problem = cronProblem(cron, timezone);
  if (problem !== undefined) {
    // Healthchecks takes systemd's OnCalendar expressions too.
    const isCalendar = cron.split(/\s+/).length !== 5;
    return `the schedule "${cron}" ${isCalendar ? "is not a cron expression; write it as five fields" : `is refused: ${problem}`}`;
  }
  return { schedule: cron, timezone, ...more };
}

function leftOut(check: Fields, label: string): string[] {
  const says: string[] = [];
  if (textOf(check.tags) !== undefined) says.push(`the tags "${textOf(check.tags)}"`);
  if (check.methods === "POST") says.push("the rule that only POST counts as a ping");
  if (check.filter_subject === true || check.filter_body === true || check.filter_http_body === true)
    says.push("the keywords in pings and mails");
  if (check.manual_resume === true) says.push("the rule that a pause ends only by hand");
  return says.map((what) => `${label}: ${what}`);
}

interface Integrations {
  /** False where nothing tells who hears of a check. */
  readonly isKnown: boolean;
  readonly channels: Readonly<Record<string, object>>;
  readonly names: readonly string[];
  /** Undefined where none of its integrations could be carried: silence would be worse than a message too many. */
  readonly of: (check: Fields) => readonly string[] | undefined;
  readonly notCarried: readonly string[];
  readonly todo: readonly string[];
}

/** The export names the integrations and their kinds; it never holds their addresses or secrets. */
function integrations(second: Files["channels"], checks: unknown): Integrations {
  const value = second === undefined ? checks : parseJson(second.text, second.file, EXPECTED_CHANNELS);
  const list = isRecord(value) && Array.isArray(value.channels) ? value.channels.filter(isRecord) : undefined;
  if (list === undefined && second !== undefined)
    throw new ImportError(`${second.file} is not a list of integrations; expected ${EXPECTED_CHANNELS}`);
  const names = new Names();
  const channels: Record<string, object> = {};
  const byId = new Map<string, string>();
  const notCarried: string[] = [];
  const todo: string[] = [];
  for (const channel of list ?? []) {
    const [id = "", kind = "?"] = [textOf(channel.id), textOf(channel.kind)];
    const label = textOf(channel.name) ?? kind;
    if (kind === "slack" || kind === "discord") {
      const name = names.idFor(label);
      const urlEnv = variableFor(name, "URL");
      channels[name] = { kind, urlEnv };
      byId.set(id, name);
      todo.push(`set ${urlEnv} to the webhook address of the integration "${label}"`);
    } else notCarried.push(`the integration "${label}": ${whyNot(kind)}`);
  }
  if (list === undefined)
    notCarried.push("the integrations: add --channels FILE with the reply of GET /api/v3/channels/");
  const of = ({ channels: ids }: Fields) => {
    const old = textOf(ids)?.split(",") ?? [];
    const carried = old.flatMap((id) => byId.get(id.trim()) ?? []);
    return old.length > 0 && carried.length === 0 ? undefined : carried;
  };
  return { isKnown: byId.size > 0, channels, names: [...byId.values()], of, notCarried, todo };
}

const MISSING: Readonly<Record<string, string>> = {
  telegram: "{ kind: telegram, chat: CHAT }",
  email: "{ kind: email, from: FROM, to: TO, host: HOST }",
  webhook: "{ kind: webhook, url: ADDRESS, secretEnv: VARIABLE }",
  ntfy: "{ kind: ntfy, topic: TOPIC }",
};

function whyNot(kind: string): string {
  const form = Object.hasOwn(MISSING, kind) ? MISSING[kind] : undefined;
  if (form === undefined)
    return `Rollcall has no ${kind} channel; a command channel can run a program of yours`;
  return `the export does not contain its address; add it to channels by hand: ${form}`;
}
