import type { IncomingMessage, ServerResponse } from "node:http";
import type { Beat } from "../core/beat.ts";
import type { Millis } from "../core/duration.ts";
import { RollError } from "../watch/intent.ts";
import type { BeatAnswer } from "./kit/beat-answer.ts";
import { type Body, readBody } from "./kit/body.ts";
import { PATIENCE, sendProblem, sendWrongMethod } from "./kit/problem.ts";
import { addressedBeat, postedBeats } from "./kit/sent-beats.ts";
import { waitsOf } from "./waits.ts";

/** What the beat path needs of the rest. It is asked thousands of times a second. */
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
  readBody(request, (body) => takeBody(intake, body, new HttpAnswer(response, 204), only, unproven));
}

/** Takes the beats in a body of `POST /api/v1/beats`, however it was received. */
export function takeBody(
  intake: BeatIntake,
  body: Body,
  answer: BeatAnswer,
  only?: string,
  unproven = false,
): void {
  const read = postedBeats(body, { receivedAt: intake.now(), newId: intake.newId, strict: true, unproven });
  if ("refused" in read) refuseBody(read, answer);
  else if ("problem" in read) answer.problem("bad-beat", read.problem);
  else take(intake, read.beats, answer, only);
}

/** `GET|POST|HEAD /beat/<agent>`: one beat, its fields as query parameters or as JSON; any other body is its message. */
export function simpleBeat(
  intake: BeatIntake,
  agent: string,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
  only?: string,
  unproven = false,
): void {
  const answer = new HttpAnswer(response, 200);
  const finish = (text: string | undefined): void => {
    const arrival = { receivedAt: intake.now(), newId: intake.newId, strict: true, unproven };
    const body = text === undefined ? undefined : { text, type: request.headers["content-type"] };
    const read = addressedBeat(agent, query, body, arrival);
    if ("problem" in read) answer.problem("bad-beat", read.problem);
    else take(intake, [read.beat], answer, only);
  };
  if (request.method === "GET" || request.method === "HEAD") return finish(undefined);
  if (request.method !== "POST") return sendWrongMethod(response, "GET, HEAD, POST");
  readBody(request, (body) => {
    if ("text" in body) finish(body.text);
    else refuseBody(body, answer);
  });
}

function refuseBody({ refused, why }: Exclude<Body, { text: string }>, answer: BeatAnswer): void {
  answer.problem(refused, why, { close: refused === "too-large" });
}

class HttpAnswer implements BeatAnswer {
  readonly #response: ServerResponse;
  readonly #status: 200 | 204;

  constructor(response: ServerResponse, status: 200 | 204) {
    this.#response = response;
    this.#status = status;
  }

  get isGiven(): boolean {
    return this.#response.headersSent;
  }

  stored(): void {
    if (this.#status === 204) this.#response.writeHead(204).end();
    else this.#response.writeHead(200, { "content-type": "text/plain", "content-length": 3 }).end("OK\n");
  }

  problem(...[code, detail, how]: Parameters<BeatAnswer["problem"]>): void {
    sendProblem(this.#response, code, detail, how);
  }
}

/**
 * Answers when the beats are on disk, or says that they are not there yet. They may still be stored after that: a repeated
 * beat with the same id changes nothing. A token may be for the beats of one agent (`only`): that is checked here, on
 * what was read, so that no way of writing a beat gets past it.
 */
function take(
  intake: BeatIntake,
  beats: readonly Beat[],
  answer: BeatAnswer,
  only: string | undefined,
): void {
  if (only !== undefined && beats.some(({ agent }) => agent !== only)) {
    return answer.problem("wrong-scope", `this token is for the beats of "${only}" alone`);
  }
  const { patience = PATIENCE } = intake;
  const waits = waitsOf(patience);
  waits.add(answer);
  intake.accept(beats).then(
    () => {
      waits.delete(answer);
      if (!answer.isGiven) answer.stored();
    },
    (error: unknown) => {
      waits.delete(answer);
      if (answer.isGiven) return;
      if (error instanceof RollError)
        answer.problem(error.code, error.message, { retryAfter: error.retryAfter });
      else answer.problem("cannot-store", error instanceof Error ? error.message : "the store failed");
    },
  );
}
