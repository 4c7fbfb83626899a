import type { Instant } from "../duration.ts";

const forms = new Map<string, Intl.DateTimeFormat>();

/** The day of a moment in a time zone, such as 2026-11-17. */
export function dayOf(at: Instant, zone: string): string {
  let form = forms.get(zone);
  if (form === undefined) {
    form = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
    forms.set(zone, form);
  }
  return form.format(at);
}
