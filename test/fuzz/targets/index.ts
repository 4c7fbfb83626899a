import type { Target } from "../target.ts";
import { beats } from "./beats.ts";
import { config, packs } from "./config.ts";
import { journals, spool } from "./files.ts";
import { pings } from "./pings.ts";
import { terminal } from "./terminal.ts";
import { transcripts } from "./transcripts.ts";

export const TARGETS: readonly Target[] = [
  terminal,
  beats,
  pings,
  config,
  packs,
  spool,
  journals,
  transcripts,
];

export function targetOf(name: string): Target {
  const found = TARGETS.find((target) => target.name === name);
  if (found !== undefined) return found;
  const all = TARGETS.map((target) => target.name).join(", ");
  throw new Error(`there is no parser "${name}"; expected one of ${all}`);
}
