import type * as z from "zod";
import { agentsOf, type Config } from "../../config/load.ts";
import type { Instant, Millis } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import type { Home } from "../../home/home.ts";
import { StoreError } from "../../ports/store.ts";
import { knownAgents } from "../../service/offline-roll.ts";
import { signalSettings } from "../../signals/settings.ts";
import { readNamedFile } from "../../system/files.ts";
import type { Host } from "./host.ts";

/** How bad a finding is, best first. A note is for information and needs no action. */
export const LEVELS = ["ok", "note", "warning", "error"] as const;
export type Level = (typeof LEVELS)[number];

/** Something that `--fix` may do: safe at any time, and of use only if the finding is true. */
export interface Fix {
  /** What was done, as a sentence of the past: `removed the stale PID file …`. */
  readonly did: string;
  apply(): void;
}

/** One thing that a check found. */
export interface CheckFinding {
  readonly level: Level;
  readonly says: string;
  /** What to do, in one sentence that ends with a command to copy. */
  readonly todo?: string;
  readonly fix?: Fix;
}

const finding =
  (level: Level) =>
  (says: string, todo?: string): CheckFinding =>
    given({ level, says, todo });
export const [ok, note, warn, fail] = [finding("ok"), finding("note"), finding("warning"), finding("error")];

export function sayError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Below which free space a disk counts as full: so many bytes, or such a part of the disk if that is less. */
export interface FreeLimit {
  readonly bytes: number;
  /** From 0 to 1. */
  readonly part: number;
}

/** What a check may look at. Everything of the machine comes through `host`, so that faults can be planted. */
export interface CheckContext {
  readonly home: Home;
  /** The config file that was named, if one was. */
  readonly configFile: string | undefined;
  /** The config in force; the defaults where the file is bad, which the check of the config tells. */
  readonly config: Config;
  readonly host: Host;
  readonly now: () => Instant;
  /** How long the machine runs, suspended time included. */
  readonly uptime: () => Millis;
  readonly minFree: FreeLimit;
  /** A command of ours to copy, with `--home` where the home is not the one that it would take by itself. */
  readonly command: (words: string) => string;
}

/**
 * One check of `rollcall doctor`. A part of the product that has something to check adds one to `CHECKS`. A check
 * reads and changes nothing; what may be mended is a `Fix` on its finding. One that throws becomes an error of
 * its own, so that it never hides what the others found.
 */
export interface Check {
  readonly name: string;
  /** What it looks at, as docs/doctor.md has it. */
  readonly looksAt: string;
  /** The worst that it can find. */
  readonly worst: Level;
  run(context: CheckContext): Promise<readonly CheckFinding[]>;
}

export interface AgentHere {
  readonly id: string;
  readonly signals: z.output<typeof signalSettings>;
}

/** The agents that leave traces; without those of the store if that cannot be read, which its own check tells. */
export async function agentsHere({ home, config, now }: CheckContext): Promise<readonly AgentHere[]> {
  const agents = await knownAgents(home, config).catch((error: unknown) => {
    if (error instanceof StoreError) return agentsOf(config, now());
    throw error;
  });
  return agents.flatMap(({ id, signals }) => {
    const { data } = signalSettings.safeParse(signals);
    return data === undefined ? [] : [{ id, signals: data }];
  });
}

const LARGEST = 16 * 1024 * 1024;

/** What stands in a file; undefined if it cannot be read. */
export function textOf(file: string): string | undefined {
  try {
    return readNamedFile(file, LARGEST).toString("utf8");
  } catch {
    return undefined;
  }
}
