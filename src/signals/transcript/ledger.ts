import * as z from "zod";
import type { Instant } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import { NO_CALLS, somethingNew, type ToolCalls, withCall } from "../../core/liveness/calls.ts";
import { dayOf } from "../../core/usage/day.ts";
import { listPrice } from "../../core/usage/prices.ts";
import { moreThan, NO_TOKENS, NO_USAGE, type Tokens, type Usage, withSpent } from "../../core/usage/usage.ts";
import { usageShape } from "../../ports/usage.ts";
import type { LogFile, SessionLog } from "../../session-log/template.ts";
import { type Line, readLine } from "./line.ts";
import type { LineSpent } from "./spent.ts";

/** What is summed up over a whole transcript, line by line: plain data, which survives a restart. */
export interface Ledger {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  /** Up to here it is summed up. */
  readonly offset: number;
  readonly calls: ToolCalls;
  /** What the agent used, in this session and in earlier ones. */
  readonly usage: Usage;
  /** What is counted already of the last answers, by their ids, and of the session as a whole; and the model that gave them. */
  readonly counted: readonly (readonly [id: string, tokens: Tokens])[];
  readonly total: Tokens;
  readonly model?: string;
  /** How far earlier files were summed up: an agent may come back to one. */
  readonly earlier: readonly (readonly [path: string, ino: number, offset: number])[];
  /** What stands before this in another file is a copy. */
  readonly copiedUntil: Instant;
}

/** So much is read in one look; a long transcript takes several. */
const CHUNK = 2 * 1024 * 1024;
/** What stands further back is not summed up. */
const FURTHEST = 32 * 1024 * 1024;

/** The ledger of a file after what was written since. */
export async function readOn(
  known: Ledger | undefined,
  log: Pick<SessionLog, "read">,
  file: LogFile,
): Promise<Ledger> {
  const before = isOf(known, file) ? known : begun(file, known);
  if (file.size <= before.offset) return before;
  const got = await log.read(file, before.offset, CHUNK);
  if ("problem" in got) return before;
  const end = got.bytes.lastIndexOf(NEWLINE);
  // A line that is longer than all of this is passed over.
  if (end < 0) return got.bytes.length < CHUNK ? before : { ...before, offset: before.offset + CHUNK };
  const lines = new TextDecoder().decode(got.bytes.subarray(0, end)).split("\n");
  // Where it begins in the middle of a file, the first line may be cut; then it does not parse.
  const after = lines.reduce((ledger, text) => withLine(ledger, readLine(text), file.modifiedAt), before);
  return { ...after, offset: before.offset + end + 1 };
}

const NEWLINE = 0x0a;

function isOf(known: Ledger | undefined, { path, dev, ino, size }: LogFile): known is Ledger {
  return (
    known !== undefined &&
    known.path === path &&
    known.dev === dev &&
    known.ino === ino &&
    known.offset <= size
  );
}

/** So many files and answers are remembered. */
const [FILES, ANSWERS] = [16, 8];

/** Another file is another session, of the same agent. */
function begun({ path, dev, ino, size, modifiedAt }: LogFile, before: Ledger | undefined): Ledger {
  const known = before?.earlier.find(([other, inode]) => other === path && inode === ino);
  const left = before === undefined ? [] : [[before.path, before.ino, before.offset] as const];
  const usage = before?.usage ?? NO_USAGE;
  return {
    ...{ path, dev, ino, usage, counted: [], total: NO_TOKENS },
    offset: known !== undefined && known[2] <= size ? known[2] : Math.max(0, size - FURTHEST),
    calls: { ...NO_CALLS, longest: before?.calls.longest ?? 0, newAt: modifiedAt },
    earlier: [...(before?.earlier ?? []).filter((each) => each !== known), ...left].slice(-FILES),
    copiedUntil: known === undefined && before !== undefined && before.path !== path ? usage.at : 0,
  };
}

function withLine(ledger: Ledger, line: Line | undefined, written: Instant): Ledger {
  if (line === undefined) return ledger;
  const at = line.at ?? written;
  let { calls } = ledger;
  if (line.prompted === true) calls = somethingNew(calls, at);
  for (const call of line.calls ?? []) calls = withCall(calls, call, at);
  const spent = line.spent === undefined ? ledger : withUsage(ledger, line.spent, at);
  return calls === ledger.calls ? spent : { ...spent, calls };
}

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

/** Each answer counts once, however often it is written; a file that began as a copy is counted from where it goes on. */
function withUsage(ledger: Ledger, spent: LineSpent, at: Instant): Ledger {
  const { tokens: told, id, isTotal, model = ledger.model, ...more } = spent;
  const known = given({ ...ledger, model }) as Ledger;
  const before = isTotal ? ledger.total : (ledger.counted.find(([each]) => each === id)?.[1] ?? NO_TOKENS);
  const others = ledger.counted.filter(([each]) => each !== id);
  const counted = told === undefined || id === undefined ? ledger.counted : [...others, [id, told] as const];
  const after = {
    ...known,
    counted: counted.slice(-ANSWERS),
    total: isTotal && told !== undefined ? told : ledger.total,
  };
  if (at <= ledger.copiedUntil) return after;
  const tokens = told === undefined ? undefined : moreThan(before, told);
  const cost =
    more.cost ?? (tokens === undefined || model === undefined ? undefined : listPrice(model, tokens));
  const usage = withSpent(ledger.usage, { ...more, ...given({ tokens, cost }) }, at, dayOf(at, timeZone));
  return { ...after, usage };
}

const number = z.number();
const tokens = z.object({ input: number, output: number, cacheRead: number, cacheWrite: number });
const call = z.object({ id: z.string().optional(), key: z.string(), what: z.string() });

export const ledgerShape = z.object({
  path: z.string(),
  ...{ dev: number, ino: number, offset: number },
  calls: z.object({
    known: z.array(z.string()),
    last: z.array(call),
    ...{ repeats: number, newAt: number, longest: number },
    loopsSince: number.optional(),
  }),
  usage: usageShape,
  counted: z.array(z.tuple([z.string(), tokens])),
  total: tokens,
  model: z.string().optional(),
  earlier: z.array(z.tuple([z.string(), number, number])),
  copiedUntil: number,
});
