import type { IncomingMessage, ServerResponse } from "node:http";
import type { Beat } from "../core/beat.ts";
import { type InputProblem, readBeat, sayProblem } from "../core/beat-input.ts";
import { type Millis, sayDuration } from "../core/duration.ts";
import { RollError } from "../watch/intent.ts";
import { type Body, jsonOf, readBody } from "./kit/body.ts";
import { PATIENCE, sendProblem, sendStoreFailed, sendWrongMethod } from "./kit/problem.ts";

/** What the beat path needs of the rest. It is plain node:http, because it is asked thousands of times a second. */
export interface BeatIntake {
  /** Resolves when the beats are on disk. */
  readonly accept: (beats: readonly Beat[]) => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
  /** How long a beat waits for its commit; 5 s unless told otherwise. */
  readonly patience?: Millis;
}

const MOST = 10_000;

/** `POST /api/v1/beats`: one beat or a list of them, all or nothing. */
export function postBeats(
  intake: BeatIntake,
  request: IncomingMessage,
  response: ServerResponse,
  only?: string,
  unproven = false,
): void {
  if (request.method !== "POST") return sendWrongMethod(response, "POST");
  readBody(request, (body) => {
    const read = postedBeats(body, { receivedAt: intake.now(), newId: intake.newId, strict: true, unproven });
    if ("refused" in read) return refuseBody(read, response);
    if ("problem" in read) return sendProblem(response, "bad-beat", read.problem);
    answer(intake, read.beats, response, 204, only);
  });
}

type Arrival = Parameters<typeof readBeat>[1];

/** The beats in a body, or what is wrong with it. */
export function postedBeats(
  body: Body,
  arrival: Arrival,
): { readonly beats: readonly Beat[] } | { readonly problem: string } | Exclude<Body, { text: string }> {
  const json = jsonOf(body);
  if ("refused" in json) return json;
  const { value } = json;
  const list = Array.isArray(value) ? value : [value];
  if (list.length > MOST) return { problem: `expected at most ${MOST} beats at once` };
  const beats: Beat[] = [];
  for (const [index, item] of list.entries()) {
    const read = readBeat(item, arrival);
    if ("problem" in read)
      return { problem: sayProblem(Array.isArray(value) ? within(index, read.problem) : read.problem) };
    beats.push(read.beat);
  }
  return { beats };
}

/** `GET|POST|HEAD /beat/<agent>`: one beat, its fields as query parameters, its message also as the body. */
export function simpleBeat(
  intake: BeatIntake,
  agent: string,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
  only?: string,
  unproven = false,
): void {
  const finish = (message: string | undefined): void => {
    const arrival = { receivedAt: intake.now(), newId: intake.newId, strict: true, unproven };
    const read = addressedBeat(agent, query, message, arrival);
    if ("problem" in read) return sendProblem(response, "bad-beat", read.problem);
    answer(intake, [read.beat], response, 200, only);
  };
  if (request.method === "GET" || request.method === "HEAD") return finish(undefined);
  if (request.method !== "POST") return sendWrongMethod(response, "GET, HEAD, POST");
  readBody(request, (body) => {
    if ("text" in body) finish(body.text);
    else refuseBody(body, response);
  });
}

/** The beat that an address tells, or what is wrong with it. */
export function addressedBeat(
  agent: string,
  query: URLSearchParams,
  message: string | undefined,
  arrival: Arrival,
): { readonly beat: Beat } | { readonly problem: string } {
  const fields: Record<string, unknown> = { agent };
  for (const [key, value] of query) {
    // The path names the agent: a second name beside it is a mistake or an attempt to beat for another agent.
    if (key === "agent") return { problem: "agent: the path names the agent; leave it out of the query" };
    fields[key] = key === "cycle" ? numberOr(value) : value;
  }
  if (message !== undefined && message !== "" && fields.message === undefined) fields.message = message;
  const read = readBeat(fields, arrival);
  return "problem" in read ? { problem: sayProblem(read.problem) } : read;
}

/** A number in an address is text; what is not a number is left for the check to name. */
function numberOr(text: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function refuseBody({ refused, why }: Exclude<Body, { text: string }>, response: ServerResponse): void {
  sendProblem(response, refused, why, { close: refused === "too-large" });
}

function within(index: number, problem: InputProblem): InputProblem {
  return { ...problem, path: problem.path === "" ? `[${index}]` : `[${index}].${problem.path}` };
}

/**
 * Answers when the beats are on disk, or says that they are not there yet. They may still be stored after that: a repeated
 * beat with the same id changes nothing. A token may be for the beats of one agent (`only`): that is checked here, on
 * what was read, so that no way of writing a beat gets past it.
 */
function answer(
  intake: BeatIntake,
  beats: readonly Beat[],
  response: ServerResponse,
  status: 200 | 204,
  only: string | undefined,
): void {
  if (only !== undefined && beats.some(({ agent }) => agent !== only)) {
    return sendProblem(response, "wrong-scope", `this token is for the beats of "${only}" alone`);
  }
  const { patience = PATIENCE } = intake;
  const late = setTimeout(
    () =>
      sendProblem(
        response,
        "cannot-store",
        `not stored within ${sayDuration(patience)}, but it may still be stored; send it again with the same id: it is kept once`,
        { retryAfter: PATIENCE },
      ),
    patience,
  );
  intake.accept(beats).then(
    () => {
      clearTimeout(late);
      if (response.headersSent) return;
      if (status === 204) response.writeHead(204).end();
      else response.writeHead(200, { "content-type": "text/plain", "content-length": 3 }).end("OK\n");
    },
    (error: unknown) => {
      clearTimeout(late);
      if (response.headersSent) return;
      if (error instanceof RollError)
        sendProblem(response, error.code, error.message, { retryAfter: error.retryAfter });
      else sendStoreFailed(response, error);
    },
  );
}
