import * as z from "zod";

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

export const httpSettings = z.strictObject(
  {
    url: z
      .url({ protocol: /^https?$/, error: ADDRESS })
      .meta({ description: "the address that must answer" }),
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
  },
  { error: "a mapping of keys to values" },
);

export type HttpSettings = z.output<typeof httpSettings>;
