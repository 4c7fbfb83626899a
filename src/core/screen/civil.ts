/** A wall-clock time as people write it. The month counts from nought. */
type Civil = { year: number; month: number; day: number; hour: number; minute: number };

/** The wall clock of a zone at an instant. */
export function civilAt(t: number, zone: string): Civil {
  // Sweden writes 2026-01-31 08:00:00.
  const parts = new Date(t).toLocaleString("sv-SE", { timeZone: zone }).split(/\D/).map(Number);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = parts;
  return { year, month: month - 1, day, hour, minute };
}

/**
 * The instant at which a zone's wall clock shows this time. Two corrections suffice, because an offset changes
 * at most once within a day; a time that daylight saving skips becomes the one an hour away.
 */
export function instantOf(civil: Civil, zone: string): number {
  const wanted = asUtc(civil);
  const first = wanted - (asUtc(civilAt(wanted, zone)) - wanted);
  return first - (asUtc(civilAt(first, zone)) - wanted);
}

function asUtc({ year, month, day, hour, minute }: Civil): number {
  return Date.UTC(year, month, day, hour, minute);
}

/** The zone if the runtime knows it, else the fallback. */
export function zoneOr(name: string | undefined, fallback: string): string {
  if (name === undefined) return fallback;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return fallback;
  }
}
