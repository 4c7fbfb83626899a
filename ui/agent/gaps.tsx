import { useEffect, useRef, useState } from "preact/hooks";
import type { AgentView, BeatView, RhythmView } from "../api/shapes.ts";
import { useRead } from "../api/use-read.ts";
import { useValue } from "../kit/observable.ts";
import { shade } from "../kit/theme.ts";
import { TableHead } from "../parts/table-head.tsx";
import { sayDuration } from "../words/duration.ts";
import { gapsOf, limitOf } from "./gap-data.ts";
import type { GapPlot } from "./gap-plot.ts";

const ENOUGH = 3;

/** How long it is silent between two signs of life, against what is normal for it. */
export function Gaps({ agent, beats }: { agent: AgentView; beats: readonly BeatView[] }) {
  const rhythm = useRead<RhythmView>(`/agents/${encodeURIComponent(agent.id)}/rhythm`, {
    version: agent.since,
  });
  const gaps = gapsOf(beats);
  const limit = limitOf(agent.rule);
  const learnt = Object.entries(rhythm.value?.contexts ?? {});
  return (
    <section class="card" aria-labelledby="gaps">
      <h2 id="gaps">Gaps</h2>
      {gaps.length < ENOUGH ? (
        <p class="quiet">Too few beats for a plot: {beats.length} so far.</p>
      ) : (
        <Plot gaps={gaps} promised={limit} learnt={longestLimit(rhythm.value)} />
      )}
      {learnt.length > 0 && (
        <table class="plain-table">
          <TableHead
            columns={["Context", "Gaps", "Longest", "Limit", "From"]}
            numbers={["Gaps", "Longest", "Limit"]}
          />
          <tbody>
            {learnt.map(([name, { gaps, longest, limitMs, from }]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="num">{gaps}</td>
                <td class="num">{longest[0] === undefined ? "–" : sayDuration(Math.max(...longest))}</td>
                <td class="num">{sayDuration(limitMs)}</td>
                <td class="quiet">{from}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** The largest limit of the contexts that it has been seen in; of all, while it has not been seen in any. */
function longestLimit(rhythm: RhythmView | undefined): number | undefined {
  const contexts = Object.values(rhythm?.contexts ?? {});
  const seen = contexts.filter(({ gaps }) => gaps > 0);
  const limits = (seen.length === 0 ? contexts : seen).map(({ limitMs }) => limitMs);
  return limits.length === 0 ? undefined : Math.max(...limits);
}

function Plot({ gaps, promised, learnt }: GapPlot) {
  const place = useRef<HTMLDivElement>(null);
  const look = useValue(shade);
  const [failed, setFailed] = useState(false);
  const newest = gaps.at(-1)?.[0];
  // Drawn anew for another theme or a new gap only.
  useEffect(() => {
    const abort = new AbortController();
    // The plotting library is as large as the rest of the page: it comes only where a plot is looked at.
    import("./gap-plot.ts").then(
      ({ draw }) => {
        if (place.current !== null && !abort.signal.aborted) {
          draw(place.current, { gaps, promised, learnt }, abort.signal);
        }
      },
      () => setFailed(true),
    );
    return () => abort.abort();
  }, [newest, promised, learnt, look]);
  const longest = Math.max(...gaps.map(([, gap]) => gap));
  return (
    <>
      <div
        class="plot"
        ref={place}
        role="img"
        aria-label={`${gaps.length} gaps, the longest ${sayDuration(longest)}${learnt === undefined ? "" : `, learnt limit ${sayDuration(learnt)}`}`}
      />
      {failed && <p class="quiet">The plot could not be loaded.</p>}
      <p class="legend-line small quiet">
        <span>
          <span class="key" /> gap between two beats
        </span>
        {promised !== undefined && (
          <span>
            <span class="key promise-key" /> expected interval plus grace
          </span>
        )}
        {learnt !== undefined && (
          <span>
            <span class="key learnt-key" /> learnt limit
          </span>
        )}
      </p>
    </>
  );
}
