import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { Beat } from "../../core/beat.ts";
import { storeContract } from "../../ports/store.contract.ts";
import type { Store } from "../../ports/store.ts";
import { openSqlite } from "./index.ts";

const home = mkdtempSync(join(tmpdir(), "rollcall-store-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const T = Date.UTC(2026, 0, 1);
let count = 0;
const freshFolder = (): string => mkdtempSync(join(home, `${++count}-`));

const beat = (id: string, at = T): Beat => ({
  id,
  agent: "allegro",
  source: "agent",
  status: "ok",
  sentAt: at,
  receivedAt: at,
});

async function open(file: string, options?: { readOnly?: boolean }): Promise<Store> {
  const store = await openSqlite(file, options);
  onTestFinished(() => store.close());
  return store;
}

const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "base64")]));

storeContract("sqlite", async () => {
  const file = join(freshFolder(), "rollcall.db");
  return { store: await openSqlite(file), reopen: () => openSqlite(file) };
});

describe("the embedded database's file", () => {
  it("is for its owner alone, its companions too, and stands alone once it is closed", async () => {
    const folder = freshFolder();
    const store = await open(join(folder, "rollcall.db"));
    await store.commit({ beats: [beat("b1")] });
    expect(readdirSync(folder)).toStrictEqual(["rollcall.db", "rollcall.db-shm", "rollcall.db-wal"]);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    await store.close();
    expect(readdirSync(folder)).toStrictEqual(["rollcall.db"]);
  });

  it("is not changed by readers, who see what is there, with a watcher and after it", async () => {
    const folder = freshFolder();
    const file = join(folder, "a ?#%20 b.db");
    const watcher = await open(file);
    await watcher.commit({ beats: [beat("b1")] });
    const during = await open(file, { readOnly: true });
    expect(await during.beats("allegro", { limit: 5 })).toStrictEqual([beat("b1")]);
    await watcher.commit({ beats: [beat("b2")] });
    expect(await during.beats("allegro", { limit: 5 })).toHaveLength(2);
    await during.close();
    await watcher.close();

    const before = contents(folder);
    const after = await open(file, { readOnly: true });
    expect((await after.load()).agents).toStrictEqual([]);
    expect(await after.beats("allegro", { limit: 5 })).toHaveLength(2);
    await expect(after.commit({ beats: [beat("b3")] })).rejects.toMatchObject({ code: "read-only" });
    await after.close();
    expect(contents(folder)).toStrictEqual(before);
  });

  it("is read with what a killed watcher left in its log", async () => {
    const [folder, copy] = [freshFolder(), freshFolder()];
    const store = await open(join(folder, "rollcall.db"));
    await store.commit({ beats: [beat("b1")] });
    for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(copy, name));
    const reader = await open(join(copy, "rollcall.db"), { readOnly: true });
    expect(await reader.beats("allegro", { limit: 5 })).toStrictEqual([beat("b1")]);
    await reader.close();
    const next = await open(join(copy, "rollcall.db"));
    expect(await next.beats("allegro", { limit: 5 })).toStrictEqual([beat("b1")]);
  });

  it("takes commits of two writers at once, none lost", async () => {
    const file = join(freshFolder(), "rollcall.db");
    const writers = await Promise.all([open(file), open(file)]);
    const commits = writers.flatMap((writer, w) =>
      Array.from({ length: 50 }, (_, n) => writer.commit({ beats: [beat(`w${w}-${n}`), beat(`both-${n}`)] })),
    );
    await Promise.all(commits);
    const found = await writers[0].beats("allegro", { limit: 1000 });
    expect(new Set(found.map(({ id }) => id)).size).toBe(150);
    expect(found).toHaveLength(150);
  });
});

describe("the database's thread", () => {
  it("lets commits through while it prunes, slice by slice", async () => {
    const store = await open(join(freshFolder(), "rollcall.db"));
    const old = Array.from({ length: 60_000 }, (_, n) => ({ ...beat(`b${n}`, T + n), agent: `a${n % 500}` }));
    await store.commit({ beats: old });
    const order: string[] = [];
    const pruning = store.prune({ beats: T + old.length, flips: T }).then((pruned) => {
      order.push("pruned");
      return pruned;
    });
    await store.commit({ beats: [beat("new", T + old.length)] }).then(() => order.push("committed"));
    expect(await pruning).toStrictEqual({ beats: old.length, flips: 0 });
    expect(order).toStrictEqual(["committed", "pruned"]);
    expect(await store.beats("allegro", { limit: 5 })).toHaveLength(1);
  });

  it("lets a program end that forgot to close it, but not while something is under way", () => {
    // Bundled beside its thread, as in the product.
    const dist = fileURLToPath(new URL("../../../dist", import.meta.url));
    const program = join(dist, `test-forgetful-${process.pid}.js`);
    onTestFinished(() => rmSync(program, { force: true }));
    const source = fileURLToPath(new URL("./index.ts", import.meta.url));
    buildSync({
      stdin: {
        contents: `
          import { openSqlite } from ${JSON.stringify(source)};
          const store = await openSqlite(process.argv[2]);
          await store.commit({ mark: { at: 1, uptime: 1, bootId: "b" } });
          console.log((await store.load()).mark.bootId);
        `,
        resolveDir: dist,
      },
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: program,
    });
    const args = [program, join(freshFolder(), "rollcall.db")];
    expect(execFileSync(process.execPath, args, { timeout: 20_000, encoding: "utf8" })).toBe("b\n");
  });
});
