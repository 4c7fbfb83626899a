import { useEffect, useState } from "preact/hooks";
import { useRead } from "../api/use-read.ts";

const OFTEN = 2000;
/** Where there is nothing to see, there may be one day. */
const SELDOM = 60_000;

/** What a person would see of it in its terminal, read again while the page is looked at. */
export function Screen({ id }: { id: string }) {
  const [every, setEvery] = useState(OFTEN);
  const reading = useRead<{ screen: string }>(`/agents/${encodeURIComponent(id)}/screen`, { every });
  useEffect(() => setEvery(reading.absent ? SELDOM : OFTEN), [reading.absent]);
  const { value } = reading;
  return (
    <section class="card" aria-labelledby="screen">
      <h2 id="screen">
        Screen{" "}
        {value !== undefined && (
          <span class="live-dot">{reading.problem === undefined ? "live" : "stale"}</span>
        )}
      </h2>
      {value !== undefined ? (
        // A long screen scrolls, so it must be reachable by keys.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus
        <pre class="screen" tabIndex={0} role="region" aria-label="the agent's screen, as text">
          {value.screen.trimEnd() === "" ? "(the screen is empty)" : value.screen.trimEnd()}
        </pre>
      ) : (
        <p class="quiet">
          {reading.absent
            ? "It has no log and no tmux pane to show."
            : (reading.problem?.message ?? "Reading its screen …")}
        </p>
      )}
    </section>
  );
}
