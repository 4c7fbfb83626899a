import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Home, homeAt } from "../home/home.ts";
import { using, Writer, withStore } from "../home/store.ts";
import { backUp, restore } from "./backup.ts";

let folder: string;
let home: Home;
let copy: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-backup-"));
  home = homeAt(join(folder, "home"));
  copy = join(folder, "copies", "copy.db");
  mkdirSync(dirname(copy));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const agent = (id: string) =>
  ({ id, rule: { every: 1000, grace: 1000 }, origin: "beat", addedAt: 0 }) as const;
const onDisk = async () => (await withStore(home, (store) => store.load())).agents.map(({ id }) => id);

async function write(id: string, meanwhile: () => void = () => {}): Promise<void> {
  const writer = Writer.take(home) as Writer;
  await using(await writer.openStore(), async (store) => {
    await store.commit({ agents: [agent(id)] });
    meanwhile();
  });
  writer.release();
}

test("a copy is made while the database is in use, for its owner alone, and put back later", async () => {
  await write("first", () => backUp(home, copy));
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(() => backUp(home, copy)).toThrow("exists; replace it with --force");
  const missing = join(dirname(copy), "not-there");
  expect(() => backUp(home, join(missing, "copy.db"))).toThrow(`create it first: mkdir -p ${missing}`);
  expect(existsSync(missing)).toBe(false);
  await write("second");
  expect(() => restore(home, copy)).toThrow("to move it aside");
  const aside = restore(home, copy, true) as string;
  expect(await onDisk()).toEqual(["first"]);
  expect(restore(home, aside, true)).toContain("before-restore");
  expect((await onDisk()).sort()).toEqual(["first", "second"]);
  backUp(home, copy, true);
});

test("nothing is put back while somebody writes the database", async () => {
  await write("first", () => {
    backUp(home, copy);
    expect(() => restore(home, copy, true)).toThrow("a watcher is running in this home");
  });
});

test("a damaged copy is refused, and the present database stays", async () => {
  await write("first");
  backUp(home, copy);
  truncateSync(copy, 8192);
  expect(() => restore(home, copy, true)).toThrow(/damaged/);
  writeFileSync(copy, "");
  expect(() => restore(home, copy, true)).toThrow("holds nothing");
  writeFileSync(copy, "root:x:0:0:root:/root:/bin/bash\n".repeat(40));
  expect(() => restore(home, copy, true)).toThrow(`${copy} is not a backup of Rollcall`);
  expect(await onDisk()).toEqual(["first"]);
});

test("a damaged database is not copied over a good copy", async () => {
  await write("first");
  backUp(home, copy);
  const good = readFileSync(copy);
  truncateSync(home.database, 8192);
  expect(() => backUp(home, copy, true)).toThrow();
  expect(readFileSync(copy).equals(good)).toBe(true);
  expect(existsSync(`${copy}.unfinished`)).toBe(false);
});
