import type { Receipt } from "../../core/delivery/receipt.ts";
import type { Millis } from "../../core/duration.ts";
import { retryAfter } from "../../system/retry-after.ts";
import { fitsHeader, withoutSecrets } from "../../system/secret.ts";
import { type ChannelReply, exchange, type Post } from "./exchange.ts";
import { plain } from "./plain.ts";
import { shorten } from "./shorten.ts";

/** How one service is to be understood. */
export interface HttpService {
  readonly name: string;
  /** The advice about a refusal, by status; `other` for the rest. */
  readonly advice: Readonly<Record<number, string>> & { readonly other: string };
  /** Texts that must not appear in a message or an error. */
  readonly secrets: readonly string[];
  /** Whether a reply with a good status is really the service's; a captive portal says 200 too. */
  readonly isGood?: (reply: ChannelReply) => boolean;
  /** How the service calls the message that it took. */
  readonly ref?: (reply: ChannelReply) => string | undefined;
  /** What the service says in its own words. */
  readonly reason?: (reply: ChannelReply) => unknown;
  /** How long it asks us to wait, if it says so elsewhere than in the header. */
  readonly after?: (reply: ChannelReply) => Millis | undefined;
}

/** Statuses below 500 that say nothing about the message: too slow, too early, too many; and moved for now. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 302, 303, 307]);
const LONGEST_REASON = 200;

/** Posts a message and returns its receipt. */
export async function deliver(
  key: string,
  post: Post,
  service: HttpService,
  abort: AbortSignal,
): Promise<Receipt> {
  const headers = { "content-type": "application/json", "idempotency-key": headerText(key), ...post.headers };
  const reply = await exchange({ ...post, headers }, abort);
  if (!("failure" in reply)) return receiptOf(reply, service);
  return { outcome: "retry", problem: `cannot reach ${service.name} (${reply.failure})` };
}

export function receiptOf(reply: ChannelReply, service: HttpService): Receipt {
  const { status } = reply;
  const { name, advice, isGood = () => true } = service;
  if (status >= 200 && status < 300) {
    const ref = isGood(reply) ? service.ref?.(reply) : undefined;
    if (isGood(reply)) return { outcome: "sent", ...(ref === undefined ? {} : { ref }) };
    return {
      outcome: "retry",
      problem: `${status}: the reply did not come from ${name}; is a proxy in between?`,
    };
  }
  const said = reasonOf(reply, service);
  if (status < 300 || status >= 500 || PASSING.has(status)) {
    const after = service.after?.(reply) ?? retryAfter(reply);
    const problem = `${status}: ${name} does not accept it now${said}`;
    return { outcome: "retry", problem, ...(after === undefined ? {} : { after }) };
  }
  if (status < 400) {
    const problem = `${status}: the address has moved, and Rollcall does not follow; configure the new address`;
    return { outcome: "refused", problem };
  }
  return { outcome: "refused", problem: `${status}: ${advice[status] ?? advice.other}${said}` };
}

function reasonOf(reply: ChannelReply, { name, reason, secrets }: HttpService): string {
  const said = reason?.(reply);
  if (typeof said !== "string") return "";
  const text = shorten(plain(withoutSecrets(said, secrets)), LONGEST_REASON);
  return text === "" ? "" : ` (${name} says: ${text})`;
}

/** The reply as JSON; an empty object if it is none. */
export function jsonOf({ body }: ChannelReply): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** A header takes no spaces at its ends, no line ends, and nothing beyond ASCII. */
function headerText(text: string): string {
  return fitsHeader(text) ? text : encodeURIComponent(text.toWellFormed());
}

/** The form of a secret that is the address of a webhook. */
export const WEBHOOK_FORM = [
  { test: (text: string) => httpAddress(text) !== undefined },
  "a webhook address",
] as const;

/** The address that a secret or a setting holds, if it is one. */
export function httpAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "https:" || url?.protocol === "http:" ? url : undefined;
}
