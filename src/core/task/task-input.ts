import { type InputProblem, isRecord, Refused } from "../beat-input.ts";
import { nearest } from "../nearest.ts";
import { readCapabilities, shown } from "./capabilities.ts";
import { TASK_STATUSES, type Task, type TaskStatus } from "./task.ts";
import { readUint64, UINT64_FORM } from "./uint64.ts";

export interface TaskReading {
  /** Where the task stands in what was read: `tasks[3]`. */
  readonly path: string;
  /** Unknown keys are refused where a person wrote them, and ignored in what a server says of its own tasks. */
  readonly strict: boolean;
}

const KEYS = [
  ...["id", "creator", "capabilities", "reward", "token", "description", "deadline", "maxWorkers"],
  ...["currentWorkers", "worker", "claimedBy", "status", "completedAt"],
];
const DESCRIPTION_LENGTH = 10_000;
const MOST_WORKERS = 1_000_000;
/** The last second of the year 9999: what lies behind it was not meant as seconds. */
const LAST_SECOND = 253_402_300_799;
/** Names go into messages: no blanks, nothing invisible, nothing that turns the writing around. */
const NAME = /^[^\s\p{C}]{1,128}$/u;
const NAME_FORM = "1 to 128 characters without blanks";

const refused = (path: string, value: unknown, expected: string) => new Refused(path, shown(value), expected);

/** Reads one task out of parsed JSON: a task, or what is wrong with it. It never throws. */
export function readTask(value: unknown, reading: TaskReading): { task: Task } | { problem: InputProblem } {
  try {
    return { task: taskFrom(value, reading) };
  } catch (error) {
    if (error instanceof Refused) return { problem: error.problem };
    throw error;
  }
}

function taskFrom(value: unknown, { path, strict }: TaskReading): Task {
  if (!isRecord(value))
    throw refused(path, value, "a task: an object with an id, a creator, capabilities and a reward");
  const from = value;
  const at = (key: string) => (path === "" ? key : `${path}.${key}`);
  if (strict) refuseUnknown(from, at);

  const name = (key: string): string | undefined => {
    const said = from[key] ?? undefined;
    return said === undefined ? undefined : nameIn(said, at(key), NAME_FORM);
  };
  const whole = (key: string, least: number, most: number, form: string): number | undefined => {
    const said = from[key] ?? undefined;
    if (said === undefined) return undefined;
    const read = readUint64(said);
    if (read === undefined || read < least || read > most) throw refused(at(key), said, form);
    return Number(read);
  };
  const seconds = (key: string, form: string) => whole(key, 0, LAST_SECOND, form);

  const id = nameIn(idText(from.id), at("id"), `an id of ${NAME_FORM}, or a whole number`);
  const creator = nameIn(from.creator, at("creator"), `who offers it, in ${NAME_FORM}`);
  const required = readCapabilities(from.capabilities ?? undefined, at("capabilities"));
  if ("problem" in required)
    throw refused(required.problem.path, required.problem.value, required.problem.expected);
  const reward = readUint64(from.reward);
  if (reward === undefined) throw refused(at("reward"), from.reward, UINT64_FORM);
  const token = name("token");
  const claimedBy = [...new Set([name("worker") ?? [], namesIn(from.claimedBy, at("claimedBy"))].flat())];
  const people = (least: number) => `a whole number from ${least} to ${MOST_WORKERS}`;
  const completedAt = seconds("completedAt", "Unix seconds such as 1767225600");
  return {
    id,
    creator,
    capabilities: required.mask,
    reward,
    ...(token === undefined ? {} : { token }),
    description: descriptionIn(from.description, at("description")),
    deadline: seconds("deadline", "Unix seconds such as 1767225600, or 0 for none") ?? 0,
    maxWorkers: whole("maxWorkers", 1, MOST_WORKERS, people(1)) ?? 1,
    workers: whole("currentWorkers", 0, MOST_WORKERS, people(0)) ?? claimedBy.length,
    claimedBy,
    status: statusIn(from.status, at("status")),
    ...(completedAt === undefined ? {} : { completedAt }),
  };
}

function refuseUnknown(from: Record<string, unknown>, at: (key: string) => string): void {
  for (const key of Object.keys(from)) {
    if (KEYS.includes(key)) continue;
    const near = key.length < 40 ? nearest(key, KEYS) : undefined;
    const expected = near === undefined ? `one of the keys ${KEYS.join(", ")}` : `did you mean "${near}"?`;
    throw refused(at(key), from[key], expected);
  }
}

/** Many boards count their tasks. */
function idText(id: unknown): unknown {
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 0 ? String(id) : id;
}

function nameIn(value: unknown, path: string, form: string): string {
  if (typeof value === "string" && NAME.test(value)) return value;
  throw refused(path, value ?? undefined, form);
}

function namesIn(value: unknown, path: string): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw refused(path, value, 'a list of agent ids such as ["allegro"]');
  return value.map((one, index) => nameIn(one, `${path}[${index}]`, `an agent id of ${NAME_FORM}`));
}

function statusIn(value: unknown, path: string): TaskStatus {
  if (value === undefined || value === null) return "open";
  const found = TASK_STATUSES.find((status) => status === value);
  if (found === undefined) throw refused(path, value, `one of ${TASK_STATUSES.join(", ")}`);
  return found;
}

/** A description that is longer than we keep is cut and marked: losing the task would be worse. */
function descriptionIn(value: unknown, path: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") throw refused(path, value, "text");
  if (value.length <= DESCRIPTION_LENGTH) return value.toWellFormed();
  const cut = value.slice(0, DESCRIPTION_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, "");
  return `${cut.toWellFormed()}…`;
}
