import type { IncomingMessage, ServerResponse } from "node:http";
import type { Beat } from "../core/beat.ts";
import { type Millis, sayDuration } from "../core/duration.ts";
import { RollError } from "../watch/intent.ts";
import { type Body, readBody } from "./kit/body.ts";
import { PATIENCE, sendProblem, sendStoreFailed, sendWrongMethod } from "./kit/problem.ts";
import { addressedBeat, postedBeats } from "./kit/sent-beats.ts";

/** What the beat path needs of the rest. It is plain node:http, because it is asked thousands of times a second. */
export interface BeatIntake {
  /** Resolves when the beats are on disk. */
  readonly accept: (beats: readonly Beat[]) => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
  /** How long a beat waits for its commit; 5 s unless told otherwise. */
  readonly patience?: Millis;
}

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

function refuseBody({ refused, why }: Exclude<Body, { text: string }>, response: ServerResponse): void {
  sendProblem(response, refused, why, { close: refused === "too-large" });
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
