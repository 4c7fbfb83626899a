import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Plugin } from "esbuild";

/** The right product with one thing replaced at build time, so that the product itself has no switch for it. */
export interface Mutant {
  readonly name: string;
  readonly changes: readonly Change[];
}

interface Change {
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
}

/** Each is a fault that users met, and that no test had found. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: "a changed rule is kept as a number that no store can keep",
    changes: [{ file: "src/watch/draft.ts", right: "basis: NO_BASIS", wrong: "basis: Number.NaN" }],
  },
  {
    // Either of the two witnesses is enough for most programs, so both are taken away.
    name: "the blank before the cursor is trimmed, and nobody asks what is in the foreground",
    changes: [
      {
        file: "src/signals/tmux/screen.ts",
        right: "y === pane.cursor.y ? toCursor(row, pane.cursor.x) : row.trimEnd()",
        wrong: "y < 0 ? toCursor(row, pane.cursor.x) : row.trimEnd()",
      },
      {
        file: "src/signals/tmux/index.ts",
        right: "const fronted = frontOf(pane, proc, look.now, job);",
        wrong: "const fronted = frontOf({ ...pane, pid: 0 }, proc, look.now, job);",
      },
    ],
  },
  {
    name: "a command writes behind a watcher that is starting",
    changes: [
      { file: "src/service/change.ts", right: "else if (watcher === undefined)", wrong: "else" },
      {
        file: "src/system/lock.ts",
        right: 'if (error instanceof Error && error.message.includes("locked")) return undefined;',
        wrong: 'if (String(error).includes("locked")) return new FileLock(database);',
      },
      { file: "src/system/lock.ts", right: "      database.close();\n", wrong: "" },
    ],
  },
];

/** Builds the product with a fault in it, into a folder of its own. */
export async function plant(mutant: Mutant): Promise<{ folder: string; remove: () => void }> {
  const root = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), "rollcall-mutant-"));
  const { bundle } = (await import(join(root, "scripts", "build.js"))) as {
    bundle: (more: object, options: { outdir: string; plugins: readonly Plugin[] }) => Promise<void>;
  };
  const planted = new Set<Change>();
  const replace: Plugin = {
    name: "mutant",
    setup(builder) {
      builder.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const changes = mutant.changes.filter(({ file }) => relative(root, path) === file);
        if (changes.length === 0) return undefined;
        let source = readFileSync(path, "utf8");
        for (const change of changes) {
          if (!source.includes(change.right)) throw new Error(`${change.file} has no "${change.right}"`);
          source = source.replace(change.right, change.wrong);
          planted.add(change);
        }
        return { contents: source, loader: "ts" };
      });
    },
  };
  await bundle({}, { outdir: join(folder, "dist"), plugins: [replace] });
  const missed = mutant.changes.find((change) => !planted.has(change));
  if (missed !== undefined) throw new Error(`${missed.file} is in no bundle`);
  // A linked program would find the right product beside it.
  cpSync(join(root, "bin"), join(folder, "bin"), { recursive: true });
  symlinkSync(join(root, "package.json"), join(folder, "package.json"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
