import { useEffect, useState } from "preact/hooks";
import { useRead } from "../api/use-read.ts";
import type { HostContact } from "../hosts/contact.ts";

const OFTEN = 2000;
/** Another host is asked for each screen, and both keep a record of it. */
const FAR = 10_000;
/** A host may not look for commands for this long. */
const FAR_PATIENCE = 75_000;
/** Where there is nothing to see, there may be one day. */
const SELDOM = 60_000;

/** What a person would see of it in its terminal, read again while the page is looked at. */
export function Screen({ id, host }: { id: string; host: HostContact | undefined }) {
  const often = host === undefined ? OFTEN : FAR;
  const [every, setEvery] = useState(often);
  const isLost = host?.lostSince !== undefined;
  const path = `/agents/${encodeURIComponent(id)}/screen`;
  // A host that is out of contact cannot be asked.
  const reading = useRead<{ screen: string }>(isLost ? undefined : path, {
    every,
    ...(host === undefined ? {} : { patience: FAR_PATIENCE }),
  });
  useEffect(() => setEvery(reading.absent ? SELDOM : often), [reading.absent, often]);
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
          {isLost
            ? "It cannot be shown while its host is out of contact."
            : reading.absent && host === undefined
              ? "It has no log and no tmux pane to show."
              : (reading.problem?.message ??
                (host === undefined ? "Reading its screen …" : `Asking host ${host.name} for its screen …`))}
        </p>
      )}
    </section>
  );
}
