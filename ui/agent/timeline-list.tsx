import { useState } from "preact/hooks";
import { now } from "../kit/clock.ts";
import { address } from "../kit/place.ts";
import { Link } from "../kit/router.tsx";
import { Ago } from "../parts/ago.tsx";
import { Glyph } from "../parts/glyph.tsx";
import { onThisClock } from "../words/dates.ts";
import { sayDuration } from "../words/duration.ts";
import type { TimelineEntry } from "./timeline.ts";

const FIRST = 25;

export function Timeline({ moments }: { moments: readonly TimelineEntry[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? moments : moments.slice(0, FIRST);
  return (
    <section class="card" aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      {moments.length === 0 && <p class="quiet">Nothing has happened yet.</p>}
      <ol class="timeline">
        {shown.map((moment) => (
          <li key={`${moment.kind}${moment.at}${moment.text}`} class={`k-${moment.kind}`}>
            <Ago at={moment.until ?? moment.at} />
            <span class="tag">{moment.kind}</span>
            <span class="moment">
              {moment.state !== undefined && <Glyph state={moment.state} />}
              {moment.until !== undefined && (
                <span>
                  {moment.count} beats within {sayDuration(moment.until - moment.at)}
                  {moment.text !== "" && ", the last one: "}
                </span>
              )}
              {moment.incident === undefined ? (
                <span>{onThisClock(moment.text, now())}</span>
              ) : (
                <Link to={address("incidents", moment.incident)}>{onThisClock(moment.text, now())}</Link>
              )}
            </span>
          </li>
        ))}
      </ol>
      {!all && moments.length > FIRST && (
        <button type="button" onClick={() => setAll(true)}>
          Show {moments.length - FIRST} more
        </button>
      )}
    </section>
  );
}
