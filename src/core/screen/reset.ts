import { civilAt, instantOf, zoneOr } from "./civil.ts";

const unit = "(?:days?|d|hours?|hrs?|hr|h|minutes?|mins?|min|m|seconds?|secs?|sec|s)";
const relative = new RegExp(
  String.raw`\b(?:in|after|for|wait)[\s:]+(?:about |~|approximately )?((?:\d+(?:\.\d+)?\s*${unit}\b[\s,]*(?:and\s+)?)+)`,
  "i",
);
const piece = new RegExp(String.raw`(\d+(?:\.\d+)?)\s*(${unit})\b`, "gi");
const header = /\bretry[- ]after["']?[\s:=]+["']?(\d+(?:\.\d+)?)\b/i;
const iso = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:Z|UTC|[+-]\d\d:?\d\d)/;
const epoch = /\|(1\d{9})\b/;
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const clock = new RegExp(
  String.raw`(?:\b(${months.join("|")})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:(\d{4}),?\s+)?)?` +
    String.raw`(?:\b(${weekdays.join("|")})[a-z]*,?\s+)?(?:at\s+)?` +
    String.raw`\b(\d{1,2})(?::(\d\d))?\s*([ap]\.?m\b\.?)?(?:\s*\(?([A-Z][\w+-]*(?:/[\w+-]+)*)\)?)?`,
  "gi",
);
const day = 86_400_000;

/**
 * When a limit ends or a retry starts, read from the text that announces it; undefined when it does not say.
 * A time of day without a date is the next one after now, in the zone that the text names, else in `zone`.
 */
export function resetAt(text: string, now: number, zone: string): number | undefined {
  const stamp = iso
    .exec(text)?.[0]
    .replace(" ", "T")
    .replace(/\s?UTC$/, "Z");
  if (stamp !== undefined && Number.isFinite(Date.parse(stamp))) return Date.parse(stamp);
  const seconds = epoch.exec(text)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const span = relative.exec(text)?.[1];
  if (span !== undefined) return now + spanOf(span);
  const after = header.exec(text)?.[1];
  if (after !== undefined) return now + Number(after) * 1000;
  return timeOfDay(text, now, zone);
}

function spanOf(text: string): number {
  const scale: Record<string, number> = { d: day, h: 3_600_000, m: 60_000, s: 1000 };
  return [...text.matchAll(piece)].reduce(
    (sum, [, amount = "0", name = "s"]) => sum + Number(amount) * (scale[name.charAt(0).toLowerCase()] ?? 0),
    0,
  );
}

function timeOfDay(text: string, now: number, zone: string): number | undefined {
  const cue = /\b(?:resets?|try again|available|until|renews?|refresh(?:es)?|back|retry)\b/i.exec(text);
  if (cue === null) return undefined;
  for (const found of text.slice(cue.index).matchAll(clock)) {
    const [, month, date, year, weekday, hour = "0", minute, half, place] = found;
    if (minute === undefined && half === undefined) continue;
    const h = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0);
    if (h > 23 || Number(minute ?? 0) > 59) continue;
    const where = zoneOr(place, zone);
    const today = civilAt(now, where);
    const at = { ...today, hour: h, minute: Number(minute ?? 0) };
    if (month !== undefined) {
      at.month = months.indexOf(month.toLowerCase());
      at.day = Number(date);
      if (year !== undefined) at.year = Number(year);
      else if (instantOf(at, where) < now - 180 * day) at.year += 1;
      return instantOf(at, where);
    }
    if (weekday !== undefined) {
      const ahead =
        weekdays.indexOf(weekday.toLowerCase()) - new Date(Date.UTC(at.year, at.month, at.day)).getUTCDay();
      at.day += (ahead + 7) % 7;
    }
    if (instantOf(at, where) <= now) at.day += weekday === undefined ? 1 : 7;
    return instantOf(at, where);
  }
  return undefined;
}
