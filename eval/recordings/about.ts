import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import * as z from "zod";
import type { Machine } from "../../src/core/screen/machine.ts";

/** A part of a recording, such as its `raw` bytes, which may be compressed; undefined if it has none. */
export function partOf(folder: string, name: string, part: string): Buffer | undefined {
  const file = join(folder, `${name}.${part}`);
  if (existsSync(file)) return readFileSync(file);
  return existsSync(`${file}.gz`) ? gunzipSync(readFileSync(`${file}.gz`)) : undefined;
}

const size = z.object({ cols: z.number().int().positive(), rows: z.number().int().positive() });

/** The size of the terminal that was recorded, from the recording's JSON; 120×40 where it does not say. */
export function sizeOf(folder: string, name: string): { cols: number; rows: number } {
  const about = partOf(folder, name, "json");
  const told = about && size.safeParse(JSON.parse(about.toString("utf8"))).data;
  return told ?? { cols: 120, rows: 40 };
}

const probed = z.object({
  t: z.number(),
  front: z.enum(["shell", "program", "suspended", "background"]),
  program: z.string(),
  terminal: z
    .object({ canonical: z.boolean(), echo: z.boolean(), isRead: z.boolean().optional() })
    .optional(),
  wire: z
    .object({ open: z.number(), receivedAt: z.number().optional(), sentAt: z.number().optional() })
    .optional(),
  children: z.array(z.object({ name: z.string(), since: z.number() })).optional(),
});

/** What the machine told at a second of a recording. */
export type Facts = { readonly t: number; readonly machine: Machine };

/** The lines of `<name>.probe.jsonl`, if there is one. Times in it are seconds since the recording began. */
export function factsOf(folder: string, name: string, epoch: number): readonly Facts[] {
  const at = (t: number) => epoch + t * 1000;
  return (partOf(folder, name, "probe.jsonl")?.toString("utf8") ?? "").split("\n").flatMap((line) => {
    const parsed = line.trim() === "" ? undefined : probed.safeParse(JSON.parse(line)).data;
    if (parsed === undefined) return [];
    const { t, front, program, terminal, wire, children } = parsed;
    const machine = {
      ...{ front, program },
      ...(terminal && { terminal: terminal as NonNullable<Machine["terminal"]> }),
      ...(wire && {
        wire: {
          open: wire.open,
          ...(wire.receivedAt !== undefined && { receivedAt: at(wire.receivedAt) }),
          ...(wire.sentAt !== undefined && { sentAt: at(wire.sentAt) }),
        },
      }),
      ...(children && { children: children.map(({ name, since }) => ({ name, since: at(since) })) }),
    };
    return [{ t, machine }];
  });
}

/** What was known at a second; facts older than three seconds are not. */
export function factsAt(facts: readonly Facts[], t: number): Machine | undefined {
  const last = facts.findLast((one) => one.t <= t);
  return last !== undefined && t - last.t <= 3 ? last.machine : undefined;
}
