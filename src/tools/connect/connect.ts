import { existsSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { HookClient } from "../../core/hook/event.ts";
import { makeFolder, readOwnFile } from "../../system/files.ts";
import { locked } from "../../system/lock.ts";
import { CONNECTABLE, type Connectable, isBefore, isThere } from "./clients.ts";
import { ConnectError } from "./connect-error.ts";
import { curlSettings, hookScript } from "./plugin.ts";
import { besideOf, hashOf, mustBeWritable, openSettings, replaceFile } from "./settings-file.ts";

/** What was done to a file: with this it is given back as it was. */
interface Done {
  readonly client: HookClient;
  readonly file: string;
  /** The copy of what stood there; null if there was no file. */
  readonly original: string | null;
  readonly written: string;
  /** The folder that was made for it, if one was. */
  readonly madeFolder?: string;
  /** It was written for a version that does not know the newer way. */
  readonly isOlder?: true;
}

interface Manifest {
  readonly token?: string;
  readonly url?: string;
  readonly done: readonly Done[];
}

/** How one client stands. */
export interface ClientStanding {
  readonly client: HookClient;
  readonly program: string;
  readonly isThere: boolean;
  readonly file: string;
  readonly tells: string;
  /** `overwritten`: it was connected, and its file no longer holds our hooks. */
  readonly state: "connected" | "not connected" | "overwritten" | "unreadable";
  /** Our hooks were written for it, and not removed by us since. */
  readonly wasConnected: boolean;
  /** Why it is unreadable, or why the client calls none of the hooks that are there. */
  readonly problem?: string;
  readonly todo?: string;
}

interface Disconnected {
  readonly file: string;
  readonly how: "as it was" | "without our hooks" | "nothing to do";
}

const LARGEST = 1 << 20;

/** The hooks of this user's clients, as they are kept in one home. */
export class Connections {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  /** Whether the installed version of a client is told in the older way: asked once. */
  readonly #isOlder = new Map<HookClient, boolean>();

  constructor(home: string, env: NodeJS.ProcessEnv) {
    this.#folder = join(home, "connect");
    this.#env = env;
  }

  get #script(): string {
    return join(this.#folder, "hook");
  }

  /** Where the hooks send to, and the id of their token, if anything was ever connected. */
  get target(): { readonly url?: string; readonly token?: string } {
    return this.#manifest();
  }

  standings(): readonly ClientStanding[] {
    const { done } = this.#manifest();
    return CONNECTABLE.map((one) => {
      const { way, other } = this.#ways(one);
      const { client, program, tells, todo } = way;
      const file = way.file(this.#env);
      const wasConnected = done.some((each) => each.client === client && isOfWay(each, way, one));
      const isInstalled = isThere(one, this.#env);
      const about = {
        client,
        program,
        tells,
        file,
        isThere: isInstalled,
        wasConnected,
        ...(todo && { todo }),
      };
      try {
        if (this.#isIn(way)) return { ...about, state: "connected", ...this.#offIn(way) };
        // A client that was updated since still reads what was written for its older version.
        if (other !== undefined && other !== one && this.#isIn(other))
          return { ...about, file: other.file(this.#env), tells: other.tells, state: "connected" };
        return { ...about, state: wasConnected ? "overwritten" : "not connected" };
      } catch (error) {
        return {
          ...about,
          state: "unreadable",
          problem: (error instanceof Error ? error.message : String(error)).replace(
            /; nothing was changed$/,
            "",
          ),
        };
      }
    });
  }

  /** Writes the script that clients call, with where it sends to. */
  prepare(url: string, token: { readonly id: string; readonly secret: string }): void {
    this.#alone(() => {
      replaceFile(join(this.#folder, "curl"), curlSettings(token.secret), 0o600);
      replaceFile(
        join(this.#folder, "watcher.json"),
        `${JSON.stringify({ url, token: token.secret })}\n`,
        0o600,
      );
      replaceFile(this.#script, hookScript(this.#folder, url), 0o700);
      this.#save({ ...this.#manifest(), url, token: token.id });
    });
  }

  /** Connects a client; answers with the file, and whether it was changed. Throws, and has changed nothing, if it cannot. */
  connect(client: HookClient): { readonly file: string; readonly changed: boolean } {
    const one = connectable(client);
    const { way, other } = this.#ways(one);
    const done = this.#connect(client, way, way === one.older?.way);
    // A client that reads both would tell everything twice.
    const left = other === undefined ? undefined : this.#disconnect(client, other);
    return left === undefined || left.how === "nothing to do" ? done : { ...done, changed: true };
  }

  #connect(
    client: HookClient,
    one: Connectable,
    isOlder: boolean,
  ): { readonly file: string; readonly changed: boolean } {
    return this.#alone(() => {
      const named = one.file(this.#env);
      const before = openSettings(named);
      const { path, bytes, mode } = before;
      const manifest = this.#manifest();
      const known = manifest.done.find((each) => each.client === client && each.file === path);
      const isAsWritten = known !== undefined && bytes !== undefined && hashOf(bytes) === known.written;
      const base = isAsWritten ? this.#original(known) : this.#stripped(one, bytes, path);
      const next = one.connected(base?.toString("utf8") ?? "", this.#script, path);
      const written = Buffer.from(next, "utf8");
      if (bytes?.equals(written)) return { file: path, changed: false };
      mustBeWritable(before);
      const folder = dirname(path);
      const madeFolder = existsSync(folder) ? known?.madeFolder : folder;
      const original = base === undefined ? null : `${client}-${hashOf(base).slice(0, 16)}`;
      if (original !== null && base !== undefined) replaceFile(join(this.#folder, original), base, 0o600);
      const entry: Done = {
        ...{ client, file: path, original, written: hashOf(written) },
        ...(madeFolder === undefined ? {} : { madeFolder }),
        ...(isOlder ? { isOlder } : {}),
      };
      // First how to give it back, then the change: whoever is killed in between has changed nothing.
      this.#save({ ...manifest, done: [...manifest.done.filter((each) => each !== known), entry] });
      replaceFile(path, written, mode);
      return { file: path, changed: true };
    });
  }

  /** Leaves a client's file as it was; answers with the file, and how far that was possible. */
  disconnect(client: HookClient): Disconnected {
    const { way, other } = this.#ways(connectable(client));
    const left = this.#disconnect(client, way);
    const more = other === undefined ? undefined : this.#disconnect(client, other);
    return more === undefined || more.how === "nothing to do" ? left : more;
  }

  #disconnect(client: HookClient, one: Connectable): Disconnected {
    return this.#alone(() => {
      const manifest = this.#manifest();
      const before = openSettings(one.file(this.#env));
      const { path, bytes, mode } = before;
      const known = manifest.done.find((each) => each.client === client && each.file === path);
      const forget = () => this.#forget(manifest, known);
      if (bytes === undefined) {
        forget();
        return { file: path, how: "nothing to do" };
      }
      const isAsWritten = known !== undefined && hashOf(bytes) === known.written;
      if (!isAsWritten && one.count(bytes.toString("utf8"), path) === 0) {
        forget();
        return { file: path, how: "nothing to do" };
      }
      mustBeWritable(before);
      const base = isAsWritten ? this.#original(known) : this.#stripped(one, bytes, path);
      if (base === undefined) rmSync(path);
      else replaceFile(path, base, mode);
      rmSync(besideOf(path), { force: true });
      if (known?.madeFolder !== undefined) removeIfEmpty(known.madeFolder);
      forget();
      return { file: path, how: isAsWritten ? "as it was" : "without our hooks" };
    });
  }

  /** Removes the script and all that is kept, if nothing is connected any more. Answers with the id of the token that it used. */
  clear(): string | undefined {
    return this.#alone(() => {
      const { done, token } = this.#manifest();
      if (done.length > 0) return undefined;
      for (const name of ["hook", "curl", "watcher.json", "manifest.json"])
        rmSync(join(this.#folder, name), { force: true });
      return token;
    });
  }

  /** How the installed version of a client is told, and the way for its other versions. */
  #ways(one: Connectable): { readonly way: Connectable; readonly other?: Connectable } {
    const { client, older } = one;
    if (older === undefined) return { way: one };
    const isOlder = this.#isOlder.get(client) ?? isBefore(one, older.since, this.#env);
    this.#isOlder.set(client, isOlder);
    return isOlder ? { way: older.way, other: one } : { way: one, other: older.way };
  }

  #isIn(way: Connectable): boolean {
    const file = way.file(this.#env);
    return way.count(openSettings(file).bytes?.toString("utf8") ?? "", file) > 0;
  }

  #offIn(way: Connectable): { readonly problem?: string } {
    const file = way.file(this.#env);
    if (way.isOff?.(openSettings(file).bytes?.toString("utf8") ?? "") !== true) return {};
    return { problem: `"disableAllHooks": true in ${file} makes ${way.program} call no hook; remove it` };
  }

  /** What stood in the file before us, where it is no longer as we wrote it; undefined if nothing did. */
  #stripped(one: Connectable, bytes: Buffer | undefined, path: string): Buffer | undefined {
    if (bytes === undefined) return undefined;
    const text = bytes.toString("utf8");
    if (one.count(text, path) === 0) return bytes;
    const rest = one.disconnected(text, path);
    return rest === undefined ? undefined : Buffer.from(rest, "utf8");
  }

  #original({ original }: Done): Buffer | undefined {
    return original === null ? undefined : readOwnFile(join(this.#folder, basename(original)), LARGEST * 8);
  }

  #forget(manifest: Manifest, known: Done | undefined): void {
    if (known === undefined) return;
    this.#save({ ...manifest, done: manifest.done.filter((each) => each !== known) });
    if (known.original !== null) rmSync(join(this.#folder, basename(known.original)), { force: true });
  }

  #manifest(): Manifest {
    try {
      return JSON.parse(
        readOwnFile(join(this.#folder, "manifest.json"), LARGEST).toString("utf8"),
      ) as Manifest;
    } catch {
      return { done: [] };
    }
  }

  #save(manifest: Manifest): void {
    replaceFile(join(this.#folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`, 0o600);
  }

  /** Two that change the same files at once do it one after the other. */
  #alone<T>(act: () => T): T {
    makeFolder(this.#folder);
    return locked(join(this.#folder, "lock"), act);
  }
}

function connectable(client: HookClient): Connectable {
  const found = CONNECTABLE.find((one) => one.client === client);
  if (found === undefined) throw new ConnectError("no-such-client", `${client} cannot be connected`);
  return found;
}

function isOfWay({ isOlder }: Done, way: Connectable, { older }: Connectable): boolean {
  return (isOlder === true) === (way === older?.way);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody else's files are in it.
  }
}
