import * as z from "zod";
import type { Instant } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import { repeatsOf } from "../../core/liveness/calls.ts";
import type { Observation, ScreenRead } from "../../core/liveness/observation.ts";
import { mapping, text } from "../../ports/setting-forms.ts";
import { NothingToShow, type SignalReader } from "../../ports/signal.ts";
import { isUnchanged, type LogFile, type LogPlace, sessionLog } from "../../session-log/template.ts";
import type { Files } from "../../system/stat-files.ts";
import { FOLDER_FORM, type SignalAdapter } from "../kit/adapter.ts";
import { lookOnce, NOTHING, partsOf } from "../kit/look-once.ts";
import { type Ledger, ledgerShape, readOn } from "./ledger.ts";
import { CLIENTS, type Client, presetPlace } from "./presets.ts";
import { readingOf, readTail, type Tail } from "./tail.ts";

const CLIENT_FORM = `one of ${CLIENTS.join(", ")}`;
const ONE_PLACE = "exactly one of client, path and folder";

/** How the config names the transcripts of a coding agent. */
export const transcriptSettings = mapping({
  client: z
    .enum(CLIENTS, { error: CLIENT_FORM })
    .meta({ description: "the client whose transcripts Rollcall reads, in the client's own folder" })
    .optional(),
  cwd: text("the folder in which the agent works, such as ~/src/{repo}")
    .meta({ description: "the folder in which the agent works" })
    .optional(),
  path: text("a pattern such as ~/transcripts/{agent}/*.jsonl")
    .meta({ description: "a pattern; the newest match is the transcript" })
    .optional(),
  folder: text(FOLDER_FORM).meta({ description: "a folder; its newest file is the transcript" }).optional(),
}).superRefine(({ client, cwd, path, folder }, context) => {
  const places = [client, path, folder].filter((one) => one !== undefined);
  if (places.length !== 1) context.addIssue({ code: "custom", path: ["client"], message: ONE_PLACE });
  if (client !== undefined && cwd === undefined) {
    const message = "the folder in which the agent works beside a client";
    context.addIssue({ code: "custom", path: ["cwd"], message });
  }
  if (client === undefined && cwd !== undefined) {
    context.addIssue({ code: "custom", path: ["cwd"], message: "a client beside a cwd" });
  }
});

export interface TranscriptSignalSettings extends LogPlace {
  /** Whose transcripts they are, and where the agent works; instead of a path or folder. */
  readonly client?: Client;
  readonly cwd?: string;
  readonly files?: Files;
}

/** How much of the end is read. Most lines have a few kilobytes; a tool's output may have many. */
const TAIL = 256 * 1024;
const SHOWN = 64 * 1024;

interface Known {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly modifiedAt: Instant;
  readonly tail: Tail;
}

/**
 * Follows the newest transcript of a coding agent. Unlike a screen it does not flicker: what it says is on record,
 * so no second look is needed. Unchanged, it costs one `stat` of the file and one of its folder.
 */
export function transcriptSignal(settings: TranscriptSignalSettings, restored?: unknown): SignalReader {
  const { client, cwd, files, keys } = settings;
  const preset = client === undefined ? settings : presetPlace(client, cwd ?? "{cwd}", keys, files);
  const log = sessionLog(preset, files);
  const past = partsOf(restored);
  let known = restore(past.known, knownShape) as Known | undefined;
  let told = restore(past.told, toldShape) as ScreenRead | undefined;
  let ledger = restore(past.ledger, ledgerShape) as Ledger | undefined;
  /** So many calls in a row were told as a loop; none, if it was told as over or never. */
  let looped = typeof past.looped === "number" ? past.looped : 0;
  let lookedAt: Instant = 0;

  const activity = (now: Instant): readonly Observation[] => {
    if (known === undefined) return NOTHING;
    const context = told?.reading === "working" ? told.context : "unknown";
    return [{ kind: "activity", signal: "transcript", at: writtenAt(known), seenAt: now, context }];
  };

  /** What the tail means now, if that is something else than what was told. */
  const read = (now: Instant): readonly Observation[] => {
    if (known === undefined) return NOTHING;
    const { tail } = known;
    const progressAt = writtenAt(known);
    const said = readingOf(tail, now - progressAt) ?? told;
    if (said === undefined) return NOTHING;
    const { reading, context, detail } = said;
    const isSame = told?.reading === reading && told.context === context;
    if (isSame && told?.progressAt === progressAt) return NOTHING;
    const at = isSame && told !== undefined ? told.at : progressAt;
    told = {
      ...{ kind: "reading", signal: "transcript", at, seenAt: now, reading, context, progressAt },
      ...given({ resetAt: tail.resetAt, detail, asks: reading === "waiting" ? tail.asks : undefined }),
    };
    return [told];
  };

  const take = async (file: LogFile): Promise<{ problem: string } | undefined> => {
    const got = await log.tail(file, TAIL);
    if ("problem" in got) return got;
    const { path, dev, ino, size, modifiedAt } = file;
    // Another transcript is another session: what the last one said is over.
    if (known !== undefined && known.path !== path) told = undefined;
    known = { path, dev, ino, size, modifiedAt, tail: readTail(got.bytes, size > TAIL) };
    return undefined;
  };

  /** That its calls are a loop, and how long it is, and that it is over. */
  const repeats = (now: Instant, fresh: boolean): readonly Observation[] => {
    if (ledger === undefined) return NOTHING;
    const fact = repeatsOf(ledger.calls, "transcript", now);
    const calls = fact.loopsSince === undefined ? 0 : fact.calls;
    if (calls === looped && !(fresh && calls > 0)) return NOTHING;
    looped = calls;
    return [fact];
  };

  const looking = lookOnce(
    "transcript",
    async ({ now, fresh, abort }) => {
      const file = await log.find(now);
      if (abort.aborted) return undefined;
      lookedAt = now;
      if ("problem" in file) return file;
      const isNew = known === undefined || !isUnchanged(known, file);
      if (isNew) {
        const failed = await take(file);
        if (failed !== undefined) return failed;
      }
      ledger = await readOn(ledger, log, file);
      const more = repeats(now, fresh);
      const said = [...read(now), ...more];
      if (fresh && said.length === more.length && told !== undefined) {
        told = { ...told, seenAt: now };
        return [...activity(now), told, ...more];
      }
      return isNew || fresh ? [...activity(now), ...said] : said;
    },
    past.problem,
  );

  return {
    signal: "transcript",
    look: looking.look,
    memory: () => ({ known, told, ledger, looped, problem: looking.problem() }),
    async show() {
      const file = await log.find(lookedAt);
      const tail = "problem" in file ? file : await log.tail(file, SHOWN);
      if ("problem" in tail) throw new NothingToShow(tail.problem);
      const text = new TextDecoder().decode(tail.bytes);
      return tail.size > SHOWN ? text.slice(text.indexOf("\n") + 1) : text;
    },
    close: looking.close,
  };
}

function writtenAt({ tail, modifiedAt }: Known): Instant {
  return tail.at ?? modifiedAt;
}

const number = z.number();
const knownShape = z.looseObject({
  path: z.string(),
  ...{ dev: number, ino: number, size: number, modifiedAt: number },
  tail: z.looseObject({ open: number, at: number.optional(), turn: z.string().optional() }),
});
const toldShape = z.looseObject({
  kind: z.literal("reading"),
  signal: z.literal("transcript"),
  ...{ at: number, seenAt: number, progressAt: number },
  reading: z.enum(["working", "waiting", "login", "idle", "limited"]),
  context: z.enum(["model", "tool", "unknown"]),
});

/** A memory that is none is forgotten. */
function restore(data: unknown, shape: z.ZodType): unknown {
  const checked = shape.safeParse(data);
  return checked.success ? structuredClone(checked.data) : undefined;
}

const settings = transcriptSettings.meta({ description: "the transcript of a coding agent" });

export const transcriptAdapter: SignalAdapter<"transcript", typeof settings> = {
  kind: "transcript",
  settings,
  paths: ["path", "folder"],
  open: (transcript, { agent, memory }) =>
    transcriptSignal({ ...given(transcript), keys: { agent } }, memory),
};
