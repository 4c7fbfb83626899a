import { formatDuration } from "../../core/duration.ts";
import { cronProblem } from "../../core/schedule/cron.ts";
import {
  agentsOf,
  type Fields,
  ImportError,
  type Imported,
  isRecord,
  OldChannels,
  parseJson,
  policyFor,
  secondsOf,
  textOf,
  variableFor,
  type Watched,
} from "./imported.ts";

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
  const watched = list.map((check: unknown, index) => watchedBy(check, index, known));
  const { agents, told, canGo, notCarried, todo } = agentsOf("check", watched, known);
  if (agents.length > 0)
    todo.unshift("create the KEY for the addresses below: rollcall token create --scope beat --ping-key");
  // Without a channel nothing tells who hears of a check.
  const policy = known.names.length === 0 ? {} : policyFor(told, known.names);
  return { config: { agents, channels: known.settings, ...policy }, wakes: [], canGo, notCarried, todo };
}

function watchedBy(check: unknown, index: number, known: OldChannels): Watched {
  if (!isRecord(check)) {
    const settings = 'expected a check, such as {"name": "Backup", "timeout": 3600}';
    return { label: `checks[${index}]`, settings, to: [], leftOut: [], todo: () => [] };
  }
  const [name, slug] = [textOf(check.name), textOf(check.slug)];
  const label = name ?? slug ?? `check ${index + 1}`;
  const promise = promiseOf(check);
  const paused = (id: string) =>
    check.status === "paused" ? [` is paused: rollcall agents pause ${id}`] : [];
  return {
    label,
    slug,
    settings: typeof promise === "string" ? promise : { name, ...promise },
    to: known.of(textOf(check.channels)?.split(",") ?? []),
    leftOut: leftOut(check),
    todo: (id) => [`: ping http://127.0.0.1:7766/ping/KEY/${id} instead of its old address`, ...paused(id)],
  };
}

function promiseOf({ timeout, schedule, tz, grace: late }: Fields): object | string {
  const grace = secondsOf(late) === undefined ? undefined : formatDuration(secondsOf(late) ?? 0);
  const cron = textOf(schedule);
  if (cron === undefined) {
    const every = secondsOf(timeout);
    if (every === undefined) return "it has neither a timeout in seconds nor a schedule";
    return { every: formatDuration(every), grace };
  }
  const timezone = textOf(tz) ?? "UTC";
  const problem = cronProblem(cron, timezone);
  if (problem === undefined) return { schedule: cron, timezone, grace };
  // Healthchecks takes systemd's OnCalendar expressions too.
  const isCalendar = cron.split(/\s+/).length !== 5;
  return `the schedule "${cron}" ${isCalendar ? "is not a cron expression; write it as five fields" : `is refused: ${problem}`}`;
}

function leftOut(check: Fields): string[] {
  const tags = textOf(check.tags);
  return [
    ...(tags === undefined ? [] : [`the tags "${tags}"`]),
    ...(check.methods === "POST" ? ["the rule that only POST counts as a ping"] : []),
    ...([check.filter_subject, check.filter_body, check.filter_http_body].includes(true)
      ? ["the keywords in pings and mails"]
      : []),
    ...(check.manual_resume === true ? ["the rule that a pause ends only by hand"] : []),
  ];
}

/** The export names the integrations and their kinds; it never holds their addresses or secrets. */
function integrations(second: Files["channels"], checks: unknown): OldChannels {
  const value = second === undefined ? checks : parseJson(second.text, second.file, EXPECTED_CHANNELS);
  const list = isRecord(value) && Array.isArray(value.channels) ? value.channels.filter(isRecord) : undefined;
  if (list === undefined && second !== undefined)
    throw new ImportError(`${second.file} is not a list of integrations; expected ${EXPECTED_CHANNELS}`);
  const known = new OldChannels();
  for (const channel of list ?? []) {
    const [id = "", kind = "?"] = [textOf(channel.id), textOf(channel.kind)];
    const label = textOf(channel.name) ?? kind;
    if (kind === "slack" || kind === "discord") {
      const name = known.nameFor(label);
      const urlEnv = variableFor(name, "URL");
      known.put(id, name, { kind, urlEnv });
      known.todo.push(`set ${urlEnv} to the webhook address of the integration "${label}"`);
    } else known.notCarried.push(`the integration "${label}": ${whyNot(kind)}`);
  }
  if (list === undefined)
    known.notCarried.push("the integrations: add --channels FILE with the reply of GET /api/v3/channels/");
  return known;
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
