import { connect, link, roll } from "../api/live.ts";
import { useValue } from "../kit/observable.ts";
import { Link, usePlace } from "../kit/router.tsx";
import { sayAttempts } from "../words/attempts.ts";
import { Ago } from "./ago.tsx";
import { Command } from "./command.tsx";

/** One word in the header: whether the page is up to date. */
export function LinkWord() {
  const state = useValue(link);
  const { watcher } = useValue(roll);
  const blind = state.is === "live" && watcher !== undefined && watcher.blindSince !== null;
  const word = {
    loading: "connecting",
    live: blind ? "blind" : "live",
    locked: "signed out",
    down: "not connected",
  }[state.is];
  return (
    <span class={`link-word is-${blind ? "blind" : state.is}`} role="status">
      {word}
    </span>
  );
}

/** Says plainly when the page is not connected, or the watcher is not watching. */
export function Trouble() {
  const state = useValue(link);
  const { parts } = usePlace();
  const { watcher } = useValue(roll);
  if (state.is === "down") {
    return (
      <div class="banner down" role="alert">
        <div>
          <strong>Not connected.</strong> {state.problem} This page shows the state from{" "}
          <Ago at={state.since} />. It reconnects by itself.{" "}
          {watcher === undefined && "Is the watcher running?"}
          {watcher === undefined && <Command text="rollcall daemon status" />}
        </div>
        <button type="button" onClick={() => void connect()}>
          Try now
        </button>
      </div>
    );
  }
  if (watcher?.blindSince != null) {
    return (
      <div class="banner blind" role="alert">
        <div>
          <strong>The watcher is not watching.</strong> It cannot store anything; this began{" "}
          <Ago at={watcher.blindSince} />. States may be out of date; no agent is declared dead until this
          ends.
          <Command text="rollcall doctor" />
        </div>
      </div>
    );
  }
  // The roll's first sentence says it.
  if (state.is !== "live" || watcher === undefined || parts.length === 0) return null;
  return (
    <>
      {watcher.failingChannels.map(({ place, since, undelivered, attempts, problem }) => (
        <div key={place} class="banner" role="alert">
          <div>
            <strong>Channel {place} fails.</strong>{" "}
            {undelivered === 1 ? "1 message is" : `${undelivered} messages are`} not delivered, the oldest
            from <Ago at={since} />. {sayAttempts(attempts)}; the last one: {problem}
          </div>
          <Link to={`/deliveries?to=${encodeURIComponent(place)}`}>Show them</Link>
        </div>
      ))}
    </>
  );
}
