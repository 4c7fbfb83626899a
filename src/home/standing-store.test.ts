import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Home, homeAt } from "./home.ts";
import { type HomeTakenError, StandingStore } from "./standing-store.ts";
import { using, Writer, withStore } from "./store.ts";
import { StoreEvents } from "./store-events.ts";

const LOG = { info: () => {}, warn: () => {}, error: () => {} };
const RULE = { every: 1000, grace: 1000 };
const agent = (id: string) => ({ id, rule: RULE, origin: "beat", addedAt: 0 }) as const;

let folder: string;
let home: Home;
let writer: Writer;
let standing: StandingStore;
let lost: Promise<Error>;
let taken: Promise<HomeTakenError>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-standing-"));
  home = homeAt(join(folder, "home"));
  writer = Writer.take(home) as Writer;
  let onLost: (problem: Error) => void = () => {};
  let onTaken: (error: HomeTakenError) => void = () => {};
  lost = new Promise((done) => {
    onLost = done;
  });
  taken = new Promise((done) => {
    onTaken = done;
  });
  standing = await StandingStore.open({
    ...{ home, writer, log: LOG },
    onLost,
    restoreFiles: () => {},
    onTaken,
  });
  await standing.store.commit({ agents: [agent("before")] });
  standing.start();
});

afterEach(async () => {
  await standing.stop();
  await standing.store.close();
  writer.release();
  rmSync(folder, { recursive: true, force: true });
});

/** Commits again and again until the store takes it. */
async function commitAgain(id: string): Promise<void> {
  await expect
    .poll(() => standing.store.commit({ agents: [agent(id)] }).then(() => "kept", String), { interval: 100 })
    .toBe("kept");
}

const onDisk = async () => (await withStore(home, (store) => store.load())).agents.map(({ id }) => id).sort();

test.each<[string, () => void, RegExp]>([
  ["the database is deleted", () => rmSync(home.database), /database .* was deleted/],
  ["the home is deleted", () => rmSync(home.path, { recursive: true }), /home .* was deleted/],
  ["the home is moved away", () => renameSync(home.path, `${home.path}.away`), /home .* was deleted/],
  ["the lock is deleted", () => rmSync(home.writerLock), /lock .* was deleted/],
])("%s: commits fail until everything is written anew, and that stays on record", async (_, harm, what) => {
  harm();
  await lost;
  await commitAgain("after");
  expect(await onDisk()).toEqual(["after", "before"]);
  const events = new StoreEvents(home.path);
  expect(events.open()).toMatchObject([{ code: "store-replaced", what: expect.stringMatching(what) }]);
  expect(Writer.take(home)).toBeUndefined();
  expect(events.acknowledge()).toBe(1);
  expect(events.open()).toEqual([]);
});

test("a file that took the database's place is kept under a dated name", async () => {
  writeFileSync(join(folder, "other"), "another file");
  renameSync(join(folder, "other"), home.database);
  await lost;
  await commitAgain("after");
  expect(await onDisk()).toEqual(["after", "before"]);
  const [aside] = readdirSync(home.path).filter((name) => /\.replaced-\d{8}T\d{6}Z$/.test(name));
  expect(new StoreEvents(home.path).open()[0]?.what).toContain(aside);
});

test("a home that another watcher has taken meanwhile is left to it", async () => {
  renameSync(home.path, `${home.path}.away`);
  const other = Writer.take(home) as Writer;
  await using(await other.openStore(), (store) => store.commit({ agents: [agent("theirs")] }));
  expect(String(await taken)).toContain("another watcher has taken it");
  await expect(standing.store.commit({ agents: [agent("ours")] })).rejects.toThrow("was replaced by another");
  expect(await onDisk()).toEqual(["theirs"]);
  expect(existsSync(`${home.database}.anew`)).toBe(false);
  other.release();
});
