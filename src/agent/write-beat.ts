import { hostname } from "node:os";
import { join } from "node:path";
import { readOwnFile } from "../system/files.ts";
import { uuidv7 } from "../system/uuid.ts";
import { type BeatInput, type BeatRecord, beatRecord } from "./beat-record.ts";
import { homeDir, openHome } from "./home.ts";
import { placeFile } from "./place-file.ts";

/** A stamp further ahead than this is a wrong clock's, and does not keep the latest beat from its place. */
const BELIEVED_AHEAD = 60_000;
/** Larger files were not written by us. */
const LARGEST = 256 * 1024;

/**
 * Sends a beat, by two files. `spool/<id>.json` is what the watcher takes up: it is on the disk before this
 * returns, and the watcher need not run. `beats/<agent>.json` is the latest beat, for whoever looks at it.
 * All of it is synchronous: in a short process that is quickest.
 */
export function writeBeat(input: BeatInput, home: string = homeDir()): BeatRecord {
  const now = Date.now();
  const host = hostname().split(".")[0] || "localhost";
  const stamp = { id: uuidv7(now), host, sentAt: new Date(now).toISOString() };
  const beat = beatRecord(input, stamp);
  const { beats, spool } = openHome(home);
  const { agent, id } = beat;
  const text = `${JSON.stringify(beat)}\n`;
  placeFile(join(spool, `.${id}.tmp`), join(spool, `${id}.json`), text, true);
  const latest = latestBeat(agent, home);
  // What is told of an earlier time is not the latest beat.
  if (input.sentAt === undefined && !isLater(latest, id, now)) {
    const shown = beatRecord({ ...input, action: lastAction(beat, latest) }, stamp);
    placeFile(
      join(beats, `.${agent}.${id}.tmp`),
      join(beats, `${agent}.json`),
      `${JSON.stringify(shown)}\n`,
      false,
    );
  }
  return beat;
}

/** A wrapper says only that its agent runs: the agent's last action in this cycle stays in the file. */
function lastAction(
  { source, cycle, cycleEvent, action }: BeatRecord,
  latest: Partial<BeatRecord> | undefined,
): string | undefined {
  if (source !== "wrapper" || typeof latest?.action !== "string") return action;
  const isSame = latest.cycle === cycle || (latest.cycle === undefined && cycleEvent !== "begun");
  return action ?? (isSame ? latest.action : undefined);
}

/** The latest beat of an agent, as far as its file can be read. */
export function latestBeat(agent: string, home: string): Partial<BeatRecord> | undefined {
  try {
    const file = join(home, "beats", `${agent}.json`);
    const value: unknown = JSON.parse(readOwnFile(file, LARGEST).toString("utf8"));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a beat is later than the one with this id and time: another process may have been quicker. */
function isLater(beat: Partial<BeatRecord> | undefined, id: string, now: number): boolean {
  const at = Date.parse(String(beat?.sentAt));
  if (Number.isNaN(at) || at > now + BELIEVED_AHEAD) return false;
  return at === now ? String(beat?.id) > id : at > now;
}
