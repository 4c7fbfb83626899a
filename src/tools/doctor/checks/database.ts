import { existsSync } from "node:fs";
import { NO_BASIS } from "../../../core/liveness/verdict.ts";
import { quoted } from "../../../core/quoted.ts";
import { policyOf } from "../../../features/policy.ts";
import { withStore } from "../../../home/store.ts";
import { StoreEvents } from "../../../home/store-events.ts";
import { checkChanges, checkOnRoll } from "../../../ports/committable.ts";
import { type Changes, type RollEntry, type Store, StoreError } from "../../../ports/store.ts";
import { connectToRead } from "../../../store/sqlite/connection.ts";
import { checkCurrent, checkOwner } from "../../../store/sqlite/migrate.ts";
import { MIGRATIONS } from "../../../store/sqlite/migrations.ts";
import { problem } from "../../../store/sqlite/problems.ts";
import { systemClock } from "../../../system/clock.ts";
import type { FleetPolicy } from "../../../watch/intent.ts";
import { Watcher } from "../../../watch/watcher.ts";
import { type Check, type CheckContext, type CheckFinding, fail, note, ok, warn } from "../check.ts";

/** How many of SQLite's complaints are worth reading. */
const COMPLAINTS = 3;

export const databaseCheck: Check = {
  name: "database",
  looksAt:
    "the database was not deleted, replaced or damaged since your last `--ack`, opens, passes SQLite's `quick_check`, was not written by a newer version, and a watcher would start on it with this config",
  worst: "error",
  async run(deps) {
    const { home, command } = deps;
    const file = home.database;
    const events = new StoreEvents(home.path)
      .open()
      .map(
        (event): CheckFinding =>
          fail(
            `${event.code} at ${event.at}: ${event.what}. Lost: ${event.lost}`,
            `Acknowledge it when you have dealt with it: ${command("doctor --ack")}`,
          ),
      );
    if (home.store !== undefined)
      return [...events, (await rehearse(deps)) ?? ok("a watcher can start on the store")];
    if (!existsSync(file))
      return [...events, ok("there is no database yet; the watcher creates it at its first start")];
    try {
      const found = lookInto(file);
      const rehearsed = found.level === "ok" ? await rehearse(deps) : undefined;
      return [...events, rehearsed ?? found];
    } catch (error) {
      const { code, message } = problem(file, error);
      return [
        ...events,
        { level: code === "busy" ? "warning" : "error", says: message, todo: todoFor(code, file, command) },
      ];
    }
  },
};

/** Only reading, so that a damaged file stays as it is for whoever mends it. */
function lookInto(file: string): CheckFinding {
  const db = connectToRead(file);
  try {
    checkOwner(db, file, MIGRATIONS.length);
    const complaints: unknown[] = db.prepare(`PRAGMA quick_check(${COMPLAINTS})`).all();
    const said = complaints.map(String).join("; ");
    if (said !== "ok") throw new StoreError("corrupt", `the database ${file} is damaged: ${said}`);
    try {
      checkCurrent(db, file, MIGRATIONS.length);
    } catch (error) {
      return note(problem(file, error).message);
    }
    return ok(`${file} is intact`);
  } finally {
    db.close();
  }
}

/**
 * Starts a watcher on what the database holds, with a store that only looks at what it would be given. What that store
 * refuses would keep the real watcher from starting.
 */
async function rehearse({ home, command, config, now }: CheckContext): Promise<CheckFinding | undefined> {
  try {
    const strange = await withStore(home, (store) => startOn(store, policyOf(config, now())));
    if (strange === undefined) return undefined;
    return warn(
      `${strange} A watcher starts all the same, and writes this anew at the agent's next beat`,
      `Start the watcher, if none runs: ${command("daemon start")}`,
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (home.store !== undefined)
      return fail(`no watcher can work on the store: ${why}`, "Look at its server.");
    const file = home.database;
    return fail(
      `no watcher can work on ${file}: ${why}`,
      `Move it away to start with a new one, and keep it for a bug report: mv ${quoted(file)} ${quoted(`${file}.aside`)}`,
    );
  }
}

/** Throws if no watcher can work on the store. Answers what is wrong with a record that the watcher will mend by itself. */
async function startOn(store: Store, policy: FleetPolicy): Promise<string | undefined> {
  const snapshot = await store.load();
  const { agents, entries, cycles, deliveries, records, blind, mark, unflushed } = snapshot;
  const incidents = snapshot.incidents.map((incident) => ({ incident, ofInterest: true }));
  const recoveries = snapshot.recoveries.map((recovery) => ({ recovery, counts: true }));
  const onRoll = new Set(agents.map(({ id }) => id));
  const check = (changes: Changes) => {
    checkChanges(changes);
    checkOnRoll(changes, (id) => onRoll.has(id));
    for (const { id } of changes.agents ?? []) onRoll.add(id);
  };
  const rest = { blind, mark, beats: unflushed };
  let strange: string | undefined;
  const all = { agents, cycles, incidents, deliveries, recoveries, records, ...rest };
  try {
    check({ ...all, entries });
  } catch (error) {
    // Every judgement makes this value anew.
    check({ ...all, entries: entries.map(withBasis) });
    strange = error instanceof Error ? error.message : String(error);
  }
  const commit = async (changes: Changes) => {
    check(changes);
    return snapshot.number;
  };
  const rehearsal = { ...store, load: async () => snapshot, commit };
  const options = { store: rehearsal, clock: systemClock, log: SILENT, bootId: mark?.bootId ?? "" };
  await (await Watcher.load(options, policy)).stop();
  return strange;
}

function withBasis(entry: RollEntry): RollEntry {
  const { standing } = entry;
  return { ...entry, standing: { ...standing, verdict: { ...standing.verdict, basis: NO_BASIS } } };
}

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

function todoFor(code: StoreError["code"], file: string, command: (words: string) => string): string {
  if (code === "newer-schema")
    return "Update Rollcall to the version that wrote it: npm install --global rollcall@latest";
  if (code === "busy") return `Look again in a moment: ${command("doctor")}`;
  if (code === "corrupt")
    return `Save the readable part into a new file: sqlite3 ${quoted(file)} .recover | sqlite3 ${quoted(`${file}.recovered`)}`;
  return `Check its owner and its type: ls -l ${quoted(file)}`;
}
