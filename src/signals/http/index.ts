import * as z from "zod";
import { mapping } from "../../ports/setting-forms.ts";
import type { SignalReader } from "../../ports/signal.ts";
import { askHttp } from "../../system/http.ts";
import type { SignalAdapter } from "../kit/adapter.ts";
import { Existence } from "../kit/existence.ts";

/** Every message says what would be right: it is shown after "expected". */
const ADDRESS = "an address such as http://127.0.0.1:8080/health";
const STATUS = "a status such as 200 or a range such as 200-299";
const METHOD = "GET, HEAD, POST or OPTIONS";
const TIME_LIMIT = "milliseconds, at most 60000";

/** A range that was read before is as good as one that is written: stored settings are read again. */
const range = z.strictObject({ from: z.int(), to: z.int() });

const status = z.union([z.int(), z.string(), range], { error: STATUS }).transform((value, context) => {
  if (typeof value === "object") return value;
  const [, from, to = from] = /^([1-5][0-9]{2})(?:-([1-5][0-9]{2}))?$/.exec(String(value)) ?? [];
  if (from !== undefined && Number(from) <= Number(to)) return { from: Number(from), to: Number(to) };
  context.addIssue({ code: "custom", message: STATUS });
  return z.NEVER;
});

export const httpSettings = mapping({
  url: z.url({ protocol: /^https?$/, error: ADDRESS }).meta({ description: "the address that must answer" }),
  expect: status.meta({ description: "the status codes of a good answer" }).prefault("200-399"),
  method: z
    .enum(["GET", "HEAD", "POST", "OPTIONS"], { error: METHOD })
    .meta({ description: "the method of the request" })
    .default("GET"),
  timeoutMs: z
    .int({ error: TIME_LIMIT })
    .positive(TIME_LIMIT)
    .max(60_000, TIME_LIMIT)
    .meta({ description: "how long an answer may take, in milliseconds" })
    .default(5_000),
});

export type HttpSettings = z.output<typeof httpSettings>;

/** So many failures in a row are an end. One proves little: a restart, a lost packet, a moment of load. */
const FAILURES = 2;

/** An address that must answer. It shows whether a server answers there, not which process that is. */
export function httpSignal(settings: HttpSettings, memory?: unknown): SignalReader {
  const existence = new Existence("http", memory);
  const place = withoutSecrets(settings.url);
  const { from, to } = settings.expect;
  let failures = existence.hasEnded ? FAILURES : 0;
  let failedAt: number | undefined;

  return {
    signal: "http",
    async look(look) {
      const { url, method, timeoutMs: timeout } = settings;
      // A redirection is an answer, and is not followed.
      const reply = await askHttp({ url, method, most: 0, timeout, abort: look.abort });
      const failure = "failure" in reply ? reply.failure : undefined;
      if (failure === "aborted") return existence.unclear(look, `no time was left to wait for ${place}`);
      if ("status" in reply && reply.status >= from && reply.status <= to) {
        failures = 0;
        failedAt = undefined;
        return existence.there(look);
      }
      failures += 1;
      failedAt ??= look.now;
      const why = failure === "timeout" ? `no answer within ${timeout} ms` : failure;
      const exit = "status" in reply ? `answered ${reply.status}` : `does not answer (${why})`;
      if (failures < FAILURES) return existence.unclear(look, `${place} ${exit}`);
      return existence.gone(look, { clean: false, exit, ...(existence.isKnown ? {} : { at: failedAt }) });
    },
    memory: () => existence.memory(),
    close() {},
  };
}

/** Names and passwords stand before the host, and keys often in the query. */
function withoutSecrets(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

const settings = httpSettings.meta({ description: "an address at which it must answer" });

export const httpAdapter: SignalAdapter<"http", typeof settings> = {
  kind: "http",
  settings,
  paths: [],
  open: (address, { memory }) => httpSignal(address, memory),
};
