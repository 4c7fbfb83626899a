import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { placeFile } from "../agent/place-file.ts";
import type { HostKind } from "../core/host-kind.ts";
import { readOwnFile } from "../system/files.ts";
import type { Home } from "./home.ts";

/** What `rollcall join` leaves in the home. The token is in a file beside it. */
export interface HubFile {
  readonly url: string;
  /** What the hub calls this host. */
  readonly host: string;
  readonly kind?: HostKind;
  /** The hub's certificate, if nobody else vouches for it. */
  readonly certificate?: string;
}

const LARGEST = 64 * 1024;

export const hubTokenFile = ({ path }: Pick<Home, "path">): string => join(path, "hub.token");
const hubFile = ({ path }: Pick<Home, "path">): string => join(path, "hub.json");

/** Undefined if this host never joined a hub. */
export function readHubFile(home: Pick<Home, "path">): HubFile | undefined {
  let text: string;
  try {
    text = readOwnFile(hubFile(home), LARGEST).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const value = JSON.parse(text) as Partial<HubFile>;
  if (typeof value.url !== "string" || typeof value.host !== "string")
    throw new Error(`${hubFile(home)} is not what rollcall join writes; join again, or delete it`);
  return value as HubFile;
}

/** The token first: what names a hub has a token for it. */
export function writeHubFile(home: Pick<Home, "path">, file: HubFile, token: string): void {
  place(hubTokenFile(home), `${token}\n`);
  place(hubFile(home), `${JSON.stringify(file, null, 2)}\n`);
}

/** The hub calls this host by another name now. */
export function renameInHubFile(home: Pick<Home, "path">, host: string): void {
  const file = readHubFile(home);
  if (file !== undefined) place(hubFile(home), `${JSON.stringify({ ...file, host }, null, 2)}\n`);
}

/** What names the hub first: a token alone does nothing. */
export function removeHubFile(home: Pick<Home, "path">): void {
  rmSync(hubFile(home), { force: true });
  rmSync(hubTokenFile(home), { force: true });
}

function place(path: string, text: string): void {
  placeFile(join(dirname(path), `.${basename(path)}.${process.pid}`), path, text, true);
}
