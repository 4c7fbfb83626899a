import { learnSkew } from "../kit/clock.ts";
import { signIn } from "./session.ts";

/** An answer that says what is wrong: problem+json, or whatever else came instead. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  /** The reason alone, without the title that stands before it in the message. */
  readonly why: string;

  constructor(status: number, code: string, message: string, why = message) {
    super(message);
    this.name = "Problem";
    this.status = status;
    this.code = code;
    this.why = why;
  }
}

const PATIENCE = 15_000;

/** Reads something. Fails with a `Problem` whose words can be shown. */
export async function read<T>(path: string, signal?: AbortSignal, patience = PATIENCE): Promise<T> {
  const answer = await reach(path, { ...(signal === undefined ? {} : { signal }) }, patience);
  if (answer.status === 401 && (await signIn("read"))) return read(path, signal, patience);
  if (!answer.ok) throw await problemOf(answer);
  return (await answer.json()) as T;
}

/** Changes something; where that needs a sign-in, asks for it and tries again. */
export async function change(method: "POST" | "DELETE", path: string, body?: unknown): Promise<void> {
  const answer = await reach(path, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (answer.status === 401 && (await signIn())) return change(method, path, body);
  if (!answer.ok) throw await problemOf(answer);
}

async function reach(path: string, init: RequestInit, patience = PATIENCE): Promise<Response> {
  const late = AbortSignal.timeout(patience);
  const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
  try {
    const answer = await fetch(`/api/v1${path}`, { ...init, signal, credentials: "same-origin" });
    learnSkew(answer.headers.get("date"));
    return answer;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Problem(0, "no-answer", "The watcher does not answer.");
  }
}

async function problemOf(answer: Response): Promise<Problem> {
  const said = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
  const { code, detail, title } = said;
  const words = [title, detail].filter((part) => typeof part === "string" && part !== "").join(": ");
  const name = typeof code === "string" ? code : `http-${answer.status}`;
  const message = words === "" ? `The watcher answered ${answer.status}.` : words;
  return new Problem(answer.status, name, message, typeof detail === "string" ? detail : message);
}
