import type { Instant } from "../../core/duration.ts";
import type { Observation } from "../../core/liveness/observation.ts";
import type { Packs } from "../../core/screen/rule.ts";
import type { Screen } from "../../core/screen/screen.ts";
import type { Look, SignalReader } from "../../ports/signal.ts";
import type { Files } from "../files.ts";
import { screenFacts } from "../screen-facts.ts";
import { type LogFile, type LogPlace, sessionLog } from "../session-log.ts";
import { untilAborted } from "../until-aborted.ts";
import { LOOK_BACK, modesOf, openFeed } from "./feed.ts";
import { isSameFile, isUnchanged, type LogMemory, restoreLog } from "./memory.ts";
import { showLog } from "./show.ts";

export interface LogSignalSettings extends LogPlace {
  /** Only the time of the log counts; it is not read. */
  readonly plain?: boolean;
  readonly cols?: number;
  readonly rows?: number;
  readonly packs: Packs;
  /** Zone of times of day that the screen shows without one. */
  readonly zone: string;
  readonly files?: Files;
}

/** After this silence no reading changes any more, and the terminal (a megabyte) is dropped. */
const SETTLED = 120_000;

const NOTHING: readonly Observation[] = [];

/**
 * Follows a session log. Unchanged, it costs one `stat`. Grown, it is activity, and what was added is drawn and
 * read. Another file in its place, or a shorter one, is read anew from its tail; what the reader knows of the
 * agent is kept.
 */
export function logSignal(settings: LogSignalSettings, restored?: unknown): SignalReader {
  const { plain = false, packs, zone } = settings;
  const log = sessionLog(settings, settings.files);
  const feed = openFeed({ ...settings, log });
  const past = typeof restored === "object" && restored !== null ? (restored as Record<string, unknown>) : {};
  const facts = screenFacts({ signal: "log", packs, zone }, past.screen);
  let known = restoreLog(past.log);
  let problem = typeof past.problem === "string" ? past.problem : undefined;
  let screen: Screen | undefined;
  /** Something was found out that nobody heard: the look was broken off. */
  let untold = false;
  let running: Promise<readonly Observation[]> | undefined;
  let closed = false;
  let lookedAt: Instant = 0;

  const degraded = (text: string, { now, fresh }: Look): readonly Observation[] => {
    if (text === problem && !fresh) return NOTHING;
    problem = text;
    return [{ kind: "degraded", signal: "log", at: now, problem: text }];
  };

  const activity = (now: Instant): readonly Observation[] => {
    // What a shell writes after the agent's end is no sign of its life.
    if (known === undefined || facts.reading() === "exited") return NOTHING;
    return [{ kind: "activity", signal: "log", at: known.modifiedAt, seenAt: now, context: facts.context() }];
  };

  const isSettled = (now: Instant): boolean =>
    plain || known?.offset === 0 || (now - (known?.grewAt ?? now) > SETTLED && !facts.doubts());

  const unchanged = async (file: LogFile, look: Look): Promise<readonly Observation[]> => {
    const { now, fresh } = look;
    if (known === undefined || isSettled(now)) {
      feed.drop();
      screen = undefined;
      return fresh ? [...activity(now), ...facts.again(now)] : NOTHING;
    }
    if (screen === undefined) {
      // After a restart: how long it is silent still tells something, so the screen is needed again.
      const drawn = await feed.draw(file, known.offset, known.offset, look.abort, known.modes);
      if ("problem" in drawn) return degraded(drawn.problem, look);
      if (!("screen" in drawn)) return NOTHING;
      screen = drawn.screen;
    }
    const said = facts.read({ t: now, screen, bytes: 0, scrolled: 0 }, fresh);
    return fresh ? [...activity(now), ...said] : said;
  };

  /** Whether what we read last still stands where it stood; a log can be emptied and grow past that in a moment. */
  const isContinued = async (file: LogFile, from: LogMemory): Promise<boolean | string> => {
    if (!isSameFile(from, file) || file.size < from.offset) return false;
    const mark = Buffer.from(from.mark, "base64");
    if (mark.length === 0) return true;
    const got = await log.read(file, from.offset - mark.length, mark.length);
    return "problem" in got ? got.problem : mark.equals(got.bytes);
  };

  const changed = async (file: LogFile, look: Look): Promise<readonly Observation[]> => {
    const { now, abort, fresh } = look;
    const { path, dev, ino, size } = file;
    const before = known;
    const grewAt = Math.min(file.modifiedAt, now);
    // What we saw grow has not been written in the future, whatever its time says.
    const modifiedAt = file.modifiedAt;
    const next = { path, dev, ino, size, modifiedAt, grewAt };
    if (plain) {
      known = { ...next, offset: size, mark: "" };
      return activity(now);
    }
    const continued = before === undefined ? false : await isContinued(file, before);
    if (typeof continued === "string") return degraded(continued, look);
    const isOn = continued && before !== undefined;
    if (!isOn) feed.drop();
    const from = isOn ? before.offset : Math.max(0, size - LOOK_BACK);
    const modes = isOn ? before.modes : undefined;
    if (size === from) {
      // Emptied, or only touched: what stood on the screen still stands there.
      known = {
        ...next,
        offset: size,
        mark: isOn ? before.mark : "",
        ...(modes === undefined ? {} : { modes }),
      };
      return [...activity(now), ...(fresh ? facts.again(now) : NOTHING)];
    }
    const drawn = await feed.draw(file, from, size, abort, modes);
    if ("problem" in drawn) return degraded(drawn.problem, look);
    if (!("screen" in drawn)) {
      untold = true;
      return NOTHING;
    }
    screen = drawn.screen;
    known = { ...next, offset: size, mark: feed.mark(), modes: modesOf(screen) };
    const said = facts.read({ t: now, ...drawn, writtenAt: grewAt }, fresh);
    return [...activity(now), ...said];
  };

  const once = async (asked: Look): Promise<readonly Observation[]> => {
    const file = await log.find(asked.now);
    if (asked.abort.aborted || closed) return NOTHING;
    lookedAt = asked.now;
    if ("problem" in file) return degraded(file.problem, asked);
    const look = untold || problem !== undefined ? { ...asked, fresh: true } : asked;
    const isSame = known !== undefined && isUnchanged(known, file);
    const wasBroken = problem;
    problem = undefined;
    untold = false;
    const said = await (isSame ? unchanged(file, look) : changed(file, look));
    const [first] = said;
    // It is still broken in the same way: that was told.
    if (first?.kind === "degraded" && first.problem === wasBroken && !asked.fresh) return NOTHING;
    return said;
  };

  return {
    signal: "log",
    async look(look) {
      if (closed || look.abort.aborted) return NOTHING;
      // A look that hangs in the file system is waited for, not started again.
      running ??= once(look).finally(() => {
        running = undefined;
      });
      const said = await untilAborted(running, look.abort);
      if (said === undefined) untold = true;
      return said ?? NOTHING;
    },
    memory: () => ({ log: known, screen: facts.memory(), problem }),
    show: (how) => showLog({ ...settings, log, plain }, how, lookedAt, screen, known?.modes),
    close() {
      closed = true;
      feed.drop();
      screen = undefined;
    },
  };
}
