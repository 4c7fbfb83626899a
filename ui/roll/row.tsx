import type { Known } from "../api/live.ts";
import type { Strip } from "../api/strips.ts";
import { now, useTicking } from "../kit/clock.ts";
import { address } from "../kit/place.ts";
import { go, Link } from "../kit/router.tsx";
import { Ago } from "../parts/ago.tsx";
import { StateWord } from "../parts/glyph.tsx";
import { StripOfLife } from "../parts/strip.tsx";
import { onThisClock } from "../words/dates.ts";
import { grown } from "../words/duration.ts";
import { sayUptime, uptimeClass } from "../words/uptime.ts";
import { activityOf } from "./filter.ts";

/** One agent of the roll. On a phone the same cells are laid out as a card. */
export function Row(props: {
  known: Known;
  strip: Strip;
  /** Of 24 hours, 7, 30 and 90 days. */
  uptimes: readonly (number | null)[];
  from: number;
  to: number;
  /** Its number among the agents, for keys. */
  index: number;
  /** Its number among all lines of the table, which has headings too. */
  place: number;
}) {
  const { agent, heardAt } = props.known;
  const to = address("agents", agent.id);
  const why = useTicking(() => onThisClock(grown(agent.why, agent.reason, now() - heardAt), now()));
  const activity = activityOf({ ...agent, why });
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link inside is the way for keys; this only widens its target
    <div
      class={`row r-${agent.state}`}
      role="row"
      aria-rowindex={props.place}
      data-row={agent.id}
      onClick={(event) => {
        const selected = getSelection()?.toString() ?? "";
        lastRow = agent.id;
        if (selected === "" && !(event.target as Element).closest("a, button")) go(to);
      }}
    >
      <span role="cell" class="c-state">
        <StateWord state={agent.state} />
      </span>
      <span role="rowheader" class="c-agent">
        <Link to={to} index={props.index} title={agent.name ?? agent.id}>
          {agent.id}
        </Link>
        {agent.name !== null && agent.name !== agent.id && <span class="name">{agent.name}</span>}
      </span>
      <span role="cell" class="c-why" title={activity === why ? why : `${activity}\n${why}`}>
        {activity}
      </span>
      <span role="cell" class="c-since">
        <Ago at={agent.since} form="short" />
      </span>
      <span role="cell" class="c-host" title={agent.host ?? undefined}>
        {agent.host ?? <None />}
      </span>
      <span role="cell" class="c-strip">
        <StripOfLife strip={props.strip} from={props.from} to={props.to} />
      </span>
      {props.uptimes.map((uptime, index) => (
        <span key={index} role="cell" data-range={RANGES[index]} class={`c-up ${uptimeClass(uptime)}`}>
          {sayUptime(uptime)}
        </span>
      ))}
    </div>
  );
}

/** The agent whose page was opened from the roll. */
let lastRow = "";

/** Whoever comes back to the roll goes on where it was left. */
export function focusLastRow(): void {
  const link = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(lastRow)}"] a`);
  lastRow = "";
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: "nearest" });
}

/** What each uptime is of, where no heading stands above it. */
const RANGES = ["24 h", "7 d", "30 d", "90 d"] as const;

function None() {
  return <span class="none">–</span>;
}
