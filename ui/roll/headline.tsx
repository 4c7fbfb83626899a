import type { StateCounts } from "../../src/core/liveness/state.ts";
import { link, roll } from "../api/live.ts";
import { useValue } from "../kit/observable.ts";
import { Link } from "../kit/router.tsx";
import { Ago } from "../parts/ago.tsx";
import { coloursOf, Glyph } from "../parts/glyph.tsx";
import { type Clause, sentenceOf } from "./sentence.ts";

/** The sentence that matters; each clause leads to what it speaks of. */
export function Headline({ counts }: { counts: StateCounts }) {
  const { watcher } = useValue(roll);
  const { is } = useValue(link);
  const clauses = sentenceOf(counts, is === "live" ? (watcher?.failingChannels ?? []) : []);
  const isWell = clauses.every(({ state, channel }) => state === undefined && channel === undefined);
  return (
    <h1 class={isWell ? "headline well" : "headline"} tabIndex={-1}>
      {isWell && <Glyph state="alive" />}
      {clauses.map((clause, index) => (
        <span key={clause.text}>
          {index > 0 &&
            (clause.channel !== undefined && clauses[index - 1]?.channel === undefined ? "; " : ", ")}
          <Said clause={clause} />
        </span>
      ))}
      .
    </h1>
  );
}

function Said({ clause }: { clause: Clause }) {
  const { state, channel, text } = clause;
  if (channel !== undefined) {
    return (
      <>
        <Link to={`/deliveries?to=${encodeURIComponent(channel.name)}`} class="said-dead">
          {text}
        </Link>{" "}
        for <Ago at={channel.since} form="length" />
      </>
    );
  }
  if (state === undefined) return <>{text}</>;
  return (
    <span class="said" style={coloursOf(state)}>
      <Link to={`/?state=${state}`}>{text}</Link>
    </span>
  );
}
