import { now, useTicking } from "../kit/clock.ts";
import { sayDuration, sayRelative, sayShort } from "../words/duration.ts";

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function exact(at: string | number): string {
  return EXACT.format(new Date(at));
}

type Form = "relative" | "length" | "short";

/** A time, relative, with the exact one on hover and for machines. */
export function Ago({ at, form = "relative" }: { at: string | number; form?: Form }) {
  const instant = typeof at === "number" ? at : Date.parse(at);
  const text = useTicking(() => {
    if (form === "relative") return sayRelative(instant, now());
    return form === "short" ? sayShort(now() - instant) : sayDuration(now() - instant);
  });
  const iso = new Date(instant).toISOString();
  return (
    <time dateTime={iso} title={`${exact(instant)}\n${iso}`}>
      {text}
    </time>
  );
}
