import { DAY, HOUR } from "../../src/core/duration.ts";
import { sayDay, sayHour } from "../words/dates.ts";

/** The hours under a picture of time. They are words for the eye: what is drawn says its own to a screen reader. */
export function Hours({ from, to, every = 3 * HOUR }: { from: number; to: number; every?: number }) {
  const marks: number[] = [];
  // Marks of days lie at midnights that are counted back from the last one.
  const first = new Date(every < DAY ? from : to);
  first.setHours(0, 0, 0, 0);
  if (every >= DAY) first.setTime(first.getTime() - Math.floor((first.getTime() - from) / every) * every);
  // A mark so near the end that its words would be cut is left out.
  const end = to - (to - from) * 0.045;
  for (let at = first.getTime(); at <= end; at += every) if (at >= from) marks.push(at);
  return (
    <div class="hours" aria-hidden="true">
      {marks.map((at) => (
        <span key={at} style={{ left: `${((at - from) / (to - from)) * 100}%` }}>
          {every < DAY ? sayHour(at) : sayDay(at)}
        </span>
      ))}
    </div>
  );
}
