import { existsSync, mkdirSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { expandTilde } from "../agent/home.ts";
import { homeAt } from "../home/home.ts";
import { Writer } from "../home/store.ts";
import { type CopyReport, copyStore, type TellProgress } from "../store/copy.ts";
import { CopyError, type CopySource, type CopyTarget } from "../store/kit/copying.ts";
import { postgresSource, postgresTarget } from "../store/postgres/copying.ts";
import { sqliteSource, sqliteTarget } from "../store/sqlite/copying.ts";
import { readSecret } from "../system/secret.ts";

/** Where a store is. */
export type StorePlace =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

export interface StoreCopy extends CopyReport {
  readonly from: string;
  readonly to: string;
}

export { CopyError };

const FORMS = "sqlite:PATH, postgres://…, env:NAME or file:PATH";

/**
 * Reads a place. `env:` and `file:` name a variable or a file that holds the address of a PostgreSQL database: other users
 * of the machine see the words of a command, and the address may hold a password. So errors do not repeat it either.
 */
export function storePlace(option: string, text: string): StorePlace {
  const [, kind, rest = ""] = /^([a-z]+):(.+)$/s.exec(text) ?? [];
  if (kind === "sqlite") return { kind, file: resolve(expandTilde(rest)) };
  if (kind !== "env" && kind !== "file") return { kind: "postgres", url: addressIn(option, text) };
  const place = kind === "env" ? { env: rest } : { file: resolve(expandTilde(rest)) };
  const found = readSecret(place, process.env);
  if ("value" in found) return { kind: "postgres", url: addressIn(`${option} ${text}`, found.value) };
  throw new CopyError(
    "bad-place",
    `${option}: ${found.place} ${kind === "env" ? "is not set" : "cannot be read or is empty"}`,
  );
}

function addressIn(where: string, text: string): string {
  if (/^postgres(?:ql)?:\/\/\S+$/.test(text)) return text;
  throw new CopyError("bad-place", `${where}: expected ${FORMS}`);
}

/** Copies a store into another one, while no watcher uses either. */
export async function copyBetween(from: StorePlace, to: StorePlace, tell: TellProgress): Promise<StoreCopy> {
  if (from.kind === to.kind)
    throw new CopyError(
      "bad-place",
      from.kind === "sqlite"
        ? "both places are files; use rollcall backup to copy a file"
        : "both places are PostgreSQL databases; use pg_dump and pg_restore to copy one",
    );
  const closers: (() => Promise<void> | void)[] = [];
  try {
    const source = await openSource(from, closers);
    const target = await openTarget(to, closers);
    return { from: source.name, to: target.name, ...(await copyStore(source, target, tell)) };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function openSource(place: StorePlace, closers: (() => Promise<void> | void)[]): Promise<CopySource> {
  if (place.kind === "sqlite") lock(place.file, closers, (home) => existsSync(home.writerLock));
  const source = place.kind === "sqlite" ? sqliteSource(place.file) : await postgresSource(place.url);
  closers.push(() => source.close());
  return source;
}

async function openTarget(place: StorePlace, closers: (() => Promise<void> | void)[]): Promise<CopyTarget> {
  if (place.kind === "sqlite") {
    mkdirSync(dirname(place.file), { recursive: true, mode: 0o700 });
    lock(place.file, closers, () => true);
  }
  const target = place.kind === "sqlite" ? sqliteTarget(place.file) : await postgresTarget(place.url);
  closers.push(() => target.close());
  return target;
}

/** A database of a home is written by the process that holds the home's lock. Other files have none. */
function lock(
  file: string,
  closers: (() => Promise<void> | void)[],
  isNeeded: (home: ReturnType<typeof homeAt>) => boolean,
): void {
  const home = homeAt(dirname(file));
  if (basename(file) !== basename(home.database) || !isNeeded(home)) return;
  const writer = Writer.take(home);
  if (writer === undefined)
    throw new CopyError(
      "in-use",
      `a watcher or a command is using ${home.path}. Stop the watcher first: rollcall daemon stop (or Ctrl-C where \`rollcall up\` runs)`,
    );
  closers.push(() => writer.release());
}
