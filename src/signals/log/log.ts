import { type Instant, MINUTE, SECOND } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import type { Observation } from "../../core/liveness/observation.ts";
import type { Screen } from "../../core/screen/screen.ts";
import type { Look, SignalReader, TerminalSeen } from "../../ports/signal.ts";
import {
  isSameFile,
  isUnchanged,
  type LogFile,
  type LogPlace,
  type NoLog,
  sessionLog,
} from "../../session-log/template.ts";
import type { Files } from "../../system/stat-files.ts";
import { ruledBy, type SignalAdapter } from "../kit/adapter.ts";
import { type Looked, lookOnce, NOTHING, partsOf } from "../kit/look-once.ts";
import { screenFacts } from "../screens/screen-facts.ts";
import { ScreenProblem, type Screens } from "../screens/screens.ts";
import { type Fed, LOOK_BACK, modesOf, openFeed } from "./feed.ts";
import { type LogMemory, restoreLog } from "./memory.ts";
import { logSettings } from "./settings.ts";
import { showLog } from "./show.ts";
import { StillLogs } from "./still.ts";
import { RECORDS, toldIn } from "./told.ts";
import { unfedProblem } from "./unfed.ts";

export interface LogSignalSettings extends LogPlace {
  /** The file lasts as long as its session: when it is gone, the session has ended cleanly. */
  readonly session?: boolean;
  /** Only the time of the log counts; it is not read. */
  readonly plain?: boolean;
  readonly cols?: number;
  readonly rows?: number;
  /** Draws and reads the screens of the whole fleet. */
  readonly screens: Screens;
  readonly files?: Files;
  /** When the pane that is piped to it last wrote, as far as that is known. */
  readonly paneWroteAt?: () => Instant | undefined;
  /** The terminal of that pane: its size, and what the machine tells of it. */
  readonly paneTerminal?: () => TerminalSeen | undefined;
  /** Where those of the whole fleet are kept that rest. */
  readonly stills?: StillLogs;
}

/** After this silence the terminal (a megabyte) is dropped; what it showed (some kilobytes) is kept. */
const KEPT = 30_000;
/** After this silence no reading changes any more: the screen is dropped too. */
const SETTLED = 120_000;
/** A screen that took too long is tried again after this, and after twice as long each further time. */
const FIRST_REST = 30 * SECOND;
const LONGEST_REST = 16 * MINUTE;
/** One that only a busy machine drew too slowly is tried again after this. */
const BUSY_REST = 10 * SECOND;

/**
 * Follows a session log. Unchanged, it costs one `stat`. Grown, it is activity, and what was added is drawn and
 * read. Another file in its place, or a shorter one, is read anew from its tail; what the reader knows of the
 * agent is kept.
 */
export function logSignal(settings: LogSignalSettings, restored?: unknown): SignalReader {
  const { plain = false, screens, stills = new StillLogs() } = settings;
  const log = sessionLog(settings, settings.files);
  const feed = openFeed({ ...settings, log, size: () => sizeOf(settings) });
  const machine = () => given({ machine: settings.paneTerminal?.()?.machine });
  const past = partsOf(restored);
  const facts = screenFacts({ signal: "log", screens }, past.screen);
  let known = restoreLog(past.log);
  /** Told that the session is over, and not yet that there is another. */
  let isOver = past.over === true;
  let screen: Screen | undefined;
  let lookedAt: Instant = 0;
  /** Set from the first glance after a look to the next look, if only something new could tell anything. */
  let still: number | undefined;
  /** Its screen took too long: how long it is left alone, since when, and what is said of it. */
  let tired: { readonly rest: number; readonly since: Instant; readonly problem: string } | undefined;

  const activity = (now: Instant): readonly Observation[] => {
    // What a shell writes after the agent's end is no sign of its life.
    if (known === undefined || facts.reading() === "exited") return NOTHING;
    return [{ kind: "activity", signal: "log", at: known.grewAt, seenAt: now, context: facts.context() }];
  };

  /** The session is over, because its file is gone. */
  const over = ({ now, fresh }: Look): Looked => {
    if (isOver && !fresh) return NOTHING;
    isOver = true;
    feed.drop();
    screen = undefined;
    return [{ kind: "gone", signal: "log", at: known?.grewAt ?? now, seenAt: now, clean: true }];
  };

  const quietFor = (now: Instant): number =>
    known === undefined ? 0 : now - Math.min(known.grewAt, known.seenAt);

  const isSettled = (now: Instant): boolean =>
    plain || (known?.offset === 0 && screen === undefined) || (quietFor(now) > SETTLED && !facts.doubts());

  /** Nothing was written for long: there is nothing to find out, and nothing to keep. */
  const settled = ({ now, fresh }: Look): Looked => {
    feed.drop();
    screen = undefined;
    return fresh ? [...activity(now), ...facts.again(now)] : NOTHING;
  };

  const unchanged = async (file: LogFile, look: Look): Promise<Looked> => {
    const { now, fresh } = look;
    if (known === undefined) return NOTHING;
    if (screen === undefined) {
      // After a restart: how long it is silent still tells something, so the screen is needed again.
      const drawn = await feed.draw(file, known.offset, known.offset, look.abort, known.modes);
      if (!("screen" in drawn)) return failed(drawn);
      screen = drawn.screen;
    }
    if (quietFor(now) > KEPT) feed.drop();
    const said = await facts.read({ t: now, screen, bytes: 0, scrolled: 0, ...machine() }, fresh, look.abort);
    return fresh ? [...activity(now), ...said] : said;
  };

  /** Whether what we read last still stands where it stood; a log can be emptied and grow past that in a moment. */
  const isContinued = async (file: LogFile, from: LogMemory): Promise<boolean | NoLog> => {
    if (!isSameFile(from, file) || file.size < from.offset) return false;
    const mark = Buffer.from(from.mark, "base64");
    if (mark.length === 0) return true;
    const got = await log.read(file, from.offset - mark.length, mark.length);
    return "problem" in got ? got : mark.equals(got.bytes);
  };

  /** What the program wrote of itself since we last looked. */
  const told = async (file: LogFile, from: number, now: Instant): Promise<readonly Observation[]> => {
    const got = await log.read(file, Math.max(from, file.size - RECORDS), RECORDS);
    return "problem" in got ? NOTHING : toldIn(got.bytes, settings.keys?.agent, now);
  };

  const changed = async (file: LogFile, look: Look): Promise<Looked> => {
    const { now, abort, fresh } = look;
    const { path, dev, ino, size } = file;
    const before = known;
    // What we saw grow has not been written in the future, whatever its time says.
    const grewAt = before === undefined ? file.modifiedAt : Math.min(file.modifiedAt, now);
    const next = { path, dev, ino, size, modifiedAt: file.modifiedAt, grewAt, seenAt: now };
    if (plain) {
      known = { ...next, offset: size, mark: "" };
      return activity(now);
    }
    const continued = before === undefined ? false : await isContinued(file, before);
    if (typeof continued === "object") return continued;
    const isOn = continued && before !== undefined;
    if (!isOn) feed.drop();
    const from = isOn ? before.offset : Math.max(0, size - LOOK_BACK);
    const modes = isOn ? before.modes : undefined;
    if (size === from) {
      // Emptied, or only touched: what stood on the screen still stands there.
      known = { ...next, offset: size, mark: isOn ? before.mark : "", modes };
      return [...activity(now), ...(fresh ? facts.again(now) : NOTHING)];
    }
    const drawn = await feed.draw(file, from, size, abort, modes);
    if (!("screen" in drawn)) return failed(drawn);
    screen = drawn.screen;
    known = { ...next, offset: size, mark: feed.mark(), modes: modesOf(screen) };
    const said = await facts.read(
      { t: now, ...drawn, ...machine(), writtenAt: Math.min(grewAt, now) },
      fresh,
      abort,
    );
    if (quietFor(now) > KEPT) feed.drop();
    return [...activity(now), ...said, ...(isOn ? await told(file, from, now) : NOTHING)];
  };

  const drawn = async (file: LogFile, look: Look): Promise<Looked> => {
    if (known === undefined || !isUnchanged(known, file)) return await changed(file, look);
    return isSettled(look.now) ? settled(look) : await unchanged(file, look);
  };

  /** One whose screen takes too long costs everybody that time, so it is tried less and less often. */
  const rested = async (file: LogFile, look: Look): Promise<Looked> => {
    const waited = tired === undefined ? 0 : look.now - tired.since;
    if (tired !== undefined && waited >= 0 && waited < tired.rest) return { problem: tired.problem };
    try {
      const looked = await drawn(file, look);
      tired = undefined;
      return looked;
    } catch (error) {
      if (!(error instanceof ScreenProblem)) throw error;
      feed.drop();
      if (look.abort.aborted) return undefined;
      // A busy machine is not this screen's fault, so the rest does not grow. Others need the thread meanwhile.
      const longer = tired === undefined ? FIRST_REST : Math.min(tired.rest * 2, LONGEST_REST);
      const rest = error.isBusy ? BUSY_REST : longer;
      tired = { rest, since: look.now, problem: error.message };
      return { problem: error.message };
    }
  };

  const restsAt = (now: Instant): number | undefined => {
    if (known === undefined || !looking.isEasy() || !isSettled(now)) return undefined;
    const local = log.local();
    if (local === undefined) return undefined;
    feed.drop();
    screen = undefined;
    return stills.keep(known, local);
  };

  const stir = (): void => {
    if (still !== undefined) stills.release(still);
    still = undefined;
  };

  const looking = lookOnce(
    "log",
    async (look) => {
      const file = await log.find(look.now);
      if (look.abort.aborted) return undefined;
      lookedAt = look.now;
      if ("problem" in file) return settings.session === true && file.missing ? over(look) : file;
      if (isOver) {
        const looked = await rested(file, { ...look, fresh: true });
        if (looked === undefined || "problem" in looked) return looked;
        isOver = false;
        return [{ kind: "present", signal: "log", at: look.now }, ...looked];
      }
      // A log of the agent's own making need not say what its pane shows.
      const problem = plain ? undefined : unfedProblem(file, settings.paneWroteAt?.());
      if (problem !== undefined) return { problem };
      return await rested(file, look);
    },
    past.problem,
  );

  return {
    signal: "log",
    look(look) {
      stir();
      return looking.look(look);
    },
    glance(now) {
      // Its pane may write what the log does not get: only a look tells.
      if (settings.paneWroteAt !== undefined) return false;
      still ??= restsAt(now);
      return still !== undefined && stills.isStill(still, now);
    },
    memory: () =>
      given({
        log: known,
        screen: facts.memory(),
        problem: looking.problem(),
        over: isOver ? true : undefined,
      }),
    show: (how) =>
      showLog({ ...settings, log, plain, size: () => sizeOf(settings) }, how, lookedAt, screen, known?.modes),
    close() {
      looking.close();
      feed.drop();
      screen = undefined;
      stir();
    },
  };
}

/** The size that the config names, else that of the pane. */
function sizeOf({ cols, rows, paneTerminal }: LogSignalSettings): { cols?: number; rows?: number } {
  const pane = paneTerminal?.();
  return given({ cols: cols ?? pane?.cols, rows: rows ?? pane?.rows });
}

/** The log cannot be read; or it was replaced under our eyes, or the time was over: then the next look tells. */
function failed(fed: Exclude<Fed, { screen: Screen }>): Looked {
  return "problem" in fed ? fed : undefined;
}

const settings = logSettings.meta({ description: "its session log" });

/** The logs that rest, of all agents of this process. */
const stills = new StillLogs();

export const logAdapter: SignalAdapter<"log", typeof settings> = {
  kind: "log",
  settings,
  paths: ["path", "folder"],
  open(log, deps) {
    // The pane is looked at before its log, so that what it wrote can be expected there.
    const pane = deps.before.find(({ signal }) => signal === "tmux");
    const fedBy =
      pane?.wroteAt === undefined ? {} : given({ paneWroteAt: pane.wroteAt, paneTerminal: pane.terminal });
    const more = { keys: { agent: deps.agent, ...log.keys }, screens: deps.screens, stills, ...fedBy };
    return ruledBy(deps, (memory) => logSignal({ ...given(log), ...more }, memory));
  },
};
