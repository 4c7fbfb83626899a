import { statSync } from "node:fs";
import { join } from "node:path";
import { AGENT_ID_FORM } from "../../../core/beat-input.ts";
import { MINUTE, sayDuration } from "../../../core/duration.ts";
import { quoted } from "../../../core/quoted.ts";
import { isStrange } from "../../../home/intake/touched.ts";
import { runningWatcher } from "../../../home/running-watcher.ts";
import { namesIn } from "../../../system/files.ts";
import { type Check, type CheckContext, type CheckFinding, fail, ok, warn } from "../check.ts";

/** A running watcher takes beats up within a second. */
const LONG = MINUTE;

export const spoolCheck: Check = {
  name: "spool",
  looksAt:
    "the spool: files that are not beats, and beats that no watcher reads; touched files that name no agent",
  worst: "error",
  async run(context) {
    const found = [...setAside(context), ...waiting(context), ...strange(context)];
    return found.length > 0 ? found : [ok("no beat is waiting in the spool")];
  },
};

function setAside({ home }: CheckContext): readonly CheckFinding[] {
  const folder = join(home.spool, "bad");
  const names = namesIn(folder);
  const { length } = names;
  if (length === 0) return [];
  const lie = length === 1 ? "1 spooled file is not a beat" : `${length} spooled files are not beats`;
  const todo = `Look into the folder, then remove it: ls -l ${quoted(folder)}`;
  const few = `${names.slice(0, 3).join(", ")}${length > 3 ? ", …" : ""}`;
  return [warn(`${lie}; see ${folder}: ${few}`, todo)];
}

function strange({ home }: CheckContext): readonly CheckFinding[] {
  const [name, ...more] = namesIn(home.beats).filter(isStrange);
  if (name === undefined) return [];
  const others = more.length === 0 ? "" : `, nor do ${more.length} others`;
  const todo = `Rename what touches it, and remove it: rm ${quoted(join(home.beats, name))}`;
  return [warn(`${quoted(join(home.beats, name))} names no agent${others}: expected ${AGENT_ID_FORM}`, todo)];
}

function waiting({ home, now, command }: CheckContext): readonly CheckFinding[] {
  const names = namesIn(home.spool).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  const times = names.flatMap(
    (name) => statSync(join(home.spool, name), { throwIfNoEntry: false })?.mtimeMs ?? [],
  );
  const waited = now() - Math.min(...times);
  if (times.length === 0 || waited < LONG) return [];
  const beats = times.length === 1 ? "1 beat is waiting" : `${times.length} beats are waiting`;
  const says = `${beats} in the spool, the oldest for ${sayDuration(waited)}`;
  if (runningWatcher(home) === undefined)
    return [warn(`${says}: no watcher runs to read them`, `Start it: ${command("daemon start")}`)];
  const todo = `Read its log: tail ${quoted(home.log)}`;
  return [fail(`${says}: the running watcher does not read them`, todo)];
}
