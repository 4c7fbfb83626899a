import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useReadOn } from "../api/use-read.ts";
import type { HostContact } from "../hosts/contact.ts";
import { isPicture, rowsOf, type TerminalRun } from "./ansi.ts";

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
  // The raw rows of a pane have their colours. Those of a log also move the cursor: then its screen is drawn by the watcher.
  const [how, setHow] = useState<"raw" | "screen">(host === undefined ? "raw" : "screen");
  const isLost = host?.lostSince !== undefined;
  const path = `/agents/${encodeURIComponent(id)}/screen?how=${how}`;
  // A host that is out of contact cannot be asked.
  const reading = useReadOn<{ screen: string }>(isLost ? undefined : path, {
    every,
    ...(host === undefined ? {} : { patience: FAR_PATIENCE }),
  });
  useEffect(() => setEvery(reading.absent ? SELDOM : often), [reading.absent, often]);
  const value = isLost ? undefined : reading.value;
  const isDrawn = value === undefined || how === "screen" || isPicture(value.screen);
  useEffect(() => {
    if (!isDrawn) setHow("screen");
  }, [isDrawn]);
  return (
    <section class="card screen-card" aria-labelledby="screen">
      <h2 id="screen">
        Screen{" "}
        {value !== undefined && (
          <span class="live-dot">{reading.problem === undefined ? "live" : "stale"}</span>
        )}
      </h2>
      {value !== undefined && isDrawn ? (
        <Terminal text={value.screen.trimEnd()} />
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

/** Rows in colour, pinned to the bottom unless somebody has scrolled up. */
function Terminal({ text }: { text: string }) {
  const place = useRef<HTMLPreElement>(null);
  const isPinned = useRef(true);
  const rows = useMemo(() => rowsOf(text), [text]);
  useLayoutEffect(() => {
    const { current } = place;
    if (current !== null && isPinned.current) current.scrollTop = current.scrollHeight;
  }, [text]);
  return (
    // A long screen scrolls, so it must be reachable by keys.
    <pre
      ref={place}
      class="screen"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus
      tabIndex={0}
      role="region"
      aria-label="the agent's screen, as text"
      onScroll={({ currentTarget: at }) => {
        isPinned.current = at.scrollHeight - at.scrollTop - at.clientHeight < 8;
      }}
    >
      {text === "" ? "(the screen is empty)" : rows.map((row, y) => [y > 0 && "\n", ...row.map(span)])}
    </pre>
  );
}

function span({ text, looks, colour, ground }: TerminalRun) {
  if (looks.length === 0 && colour === undefined && ground === undefined) return text;
  const style = {
    ...(colour === undefined ? {} : { color: colour }),
    ...(ground === undefined ? {} : { background: ground }),
  };
  return (
    <span class={looks.join(" ")} style={style}>
      {text}
    </span>
  );
}
