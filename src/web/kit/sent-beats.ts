import type { Beat } from "../../core/beat.ts";
import { type Arrival, type InputProblem, readBeat, sayProblem } from "../../core/beat-input.ts";
import { type Body, jsonOf } from "./body.ts";

const MOST = 10_000;

/** The beats in a body, or what is wrong with it. */
export function postedBeats(
  body: Body,
  arrival: Arrival,
): { readonly beats: readonly Beat[] } | { readonly problem: string } | Exclude<Body, { text: string }> {
  const json = jsonOf(body);
  if ("refused" in json) return json;
  const { value } = json;
  if (!Array.isArray(value)) {
    const read = readBeat(value, arrival);
    return "problem" in read ? { problem: sayProblem(read.problem) } : { beats: [read.beat] };
  }
  if (value.length > MOST) return { problem: `expected at most ${MOST} beats at once` };
  const beats: Beat[] = [];
  for (const [index, item] of value.entries()) {
    const read = readBeat(item, arrival);
    if ("problem" in read) return { problem: sayProblem(within(index, read.problem)) };
    beats.push(read.beat);
  }
  return { beats };
}

/** A body that is sent to the address of a beat: its message, or its fields if it says that it is JSON. */
export interface SentBody {
  readonly text: string;
  /** The header `content-type`. */
  readonly type: string | undefined;
}

/** The beat that an address and its body tell, or what is wrong with it. */
export function addressedBeat(
  agent: string,
  query: URLSearchParams,
  body: SentBody | undefined,
  arrival: Arrival,
): { readonly beat: Beat } | { readonly problem: string } {
  const told = fieldsOf(agent, body);
  if (typeof told === "string") return { problem: told };
  const fields: Record<string, unknown> = { ...told, agent };
  for (const [key, value] of query) {
    // The path names the agent: a second name beside it is a mistake or an attempt to beat for another agent.
    if (key === "agent") return { problem: "agent: the path names the agent; leave it out of the query" };
    fields[key] = key === "cycle" ? numberOr(value) : value;
  }
  const read = readBeat(fields, arrival);
  return "problem" in read ? { problem: sayProblem(read.problem) } : read;
}

function fieldsOf(agent: string, body: SentBody | undefined): Record<string, unknown> | string {
  if (body === undefined || body.text === "") return {};
  if (!/^application\/json\b/i.test(body.type ?? "")) return { message: body.text };
  let fields: unknown;
  try {
    fields = JSON.parse(body.text);
  } catch (error) {
    return `the body is not valid JSON (${error instanceof Error ? error.message : error})`;
  }
  if (typeof fields !== "object" || fields === null || Array.isArray(fields))
    return 'expected the fields of one beat in the body, such as {"status":"error","action":"sync"}';
  if ("agent" in fields && fields.agent !== agent)
    return `agent: the path names the agent "${agent}"; leave it out of the body`;
  return { ...fields };
}

/** A number in an address is text; what is not a number is left for the check to name. */
function numberOr(text: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function within(index: number, problem: InputProblem): InputProblem {
  return { ...problem, path: problem.path === "" ? `[${index}]` : `[${index}].${problem.path}` };
}
