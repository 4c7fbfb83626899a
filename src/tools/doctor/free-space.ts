/** Below which free space a disk counts as full: so many bytes, or such a part of the disk if that is less. */
export interface FreeLimit {
  readonly bytes: number;
  /** From 0 to 1. */
  readonly part: number;
}

const MB = 1e6;

/** 100 MB; on disks under 10 GB one per cent of them. */
export const DEFAULT_FREE: FreeLimit = { bytes: 100 * MB, part: 0.01 };

const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1e3, MB, GB: 1e9, TB: 1e12 };

/** Reads `500MB`, `2 GB` or `5%`; undefined for anything else. */
export function parseFreeLimit(text: string): FreeLimit | undefined {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)\s*([kmgt]?b|%)$/i.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  const number = Number(amount);
  if (unit === "%")
    return number <= 100 ? { bytes: Number.POSITIVE_INFINITY, part: number / 100 } : undefined;
  return { bytes: number * (UNITS[unit.toUpperCase()] ?? 1), part: Number.POSITIVE_INFINITY };
}

/** The limit in bytes on a disk of this size. */
export function limitOn(total: number, { bytes, part }: FreeLimit): number {
  return Math.min(bytes, total * part);
}

/** `1.4 GB`: two digits that mean something are enough. */
export function sayBytes(bytes: number): string {
  const [unit, size] = Object.entries(UNITS)
    .reverse()
    .find(([, each]) => bytes >= each) ?? ["B", 1];
  const amount = bytes / size;
  return `${amount < 10 && size > 1 ? amount.toFixed(1) : Math.round(amount)} ${unit}`;
}
