import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import { DAY } from "../../src/core/duration.ts";
import { countStates, sumOf } from "../../src/core/liveness/state.ts";
import { link, roll, want } from "../api/live.ts";
import type { AgentView, UptimeAnswer } from "../api/shapes.ts";
import { useRead } from "../api/use-read.ts";
import { now } from "../kit/clock.ts";
import { moveFocus, useKeys } from "../kit/keys.ts";
import { useValue } from "../kit/observable.ts";
import { go, Link, usePlace } from "../kit/router.tsx";
import { Empty } from "../parts/empty.tsx";
import { uptimesOf } from "../words/uptime.ts";
import {
  addressOf,
  type Filter,
  filterOf,
  isEmpty,
  linesOf,
  orderOf,
  passesRest,
  queryOf,
} from "./filter.ts";
import { Filters } from "./filters.tsx";
import { Heading } from "./heading.tsx";
import { Headline } from "./headline.tsx";
import { NeedsYou } from "./needs-you.tsx";
import { focusLastRow, Row } from "./row.tsx";
import { useHeldOrder } from "./use-held-order.ts";
import { useWindow } from "./use-window.ts";

/** The names of the columns, and what each is sorted by. */
const COLUMNS: readonly (readonly [name: string, sort: Filter["sort"] | undefined])[] = [
  ["State", ""],
  ["Agent", "agent"],
  ["Now", "now"],
  ["Since", "since"],
  ["Host", "host"],
  ["Last 24 hours", undefined],
  ["24 h", "24h"],
  ["7 d", "7d"],
  ["30 d", "30d"],
  ["90 d", "90d"],
];
const NO_UPTIMES = [null, null, null] as const;
const UPTIME_EVERY = 5 * 60_000;

/** The roll: every agent, trouble first. */
export function RollPage() {
  const { agents, strips, watcher, counts } = useValue(roll);
  const { is } = useValue(link);
  const { query } = usePlace();
  const asked = query.toString();
  const filter = useMemo(() => filterOf(new URLSearchParams(asked)), [asked]);
  const all = useMemo(() => [...agents.values()].map(({ agent }) => agent), [agents]);
  const isLarge = counts !== undefined;
  const longer = useRead<UptimeAnswer>(watcher === undefined || isLarge ? undefined : "/uptime", {
    every: UPTIME_EVERY,
  }).value;
  // In whole minutes: a strip is a picture, and need not be drawn anew for every change of another agent.
  const end = Math.ceil(now() / 60_000) * 60_000;
  const uptimes = useCallback(
    ({ id }: AgentView) => uptimesOf(strips.get(id) ?? [], longer?.agents[id] ?? NO_UPTIMES, now()),
    [strips, longer],
  );
  const passing = useMemo(() => {
    const kept = all.filter((agent) => passesRest(agent, filter, uptimes));
    const { states } = filter;
    return (states.size === 0 ? kept : kept.filter(({ state }) => states.has(state))).sort(
      orderOf(filter, uptimes),
    );
  }, [all, filter, uptimes]);
  const { shown, hold } = useHeldOrder(passing);
  const hosts = useMemo(() => new Set(all.flatMap(({ host }) => host ?? [])).size, [all]);
  const list = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => linesOf(shown, filter.by), [shown, filter.by]);
  const headings = useMemo(() => lines.flatMap((line, place) => ("heading" in line ? [place] : [])), [lines]);
  const { from, to, above, below } = useWindow(list, lines.length, headings);
  const total = useMemo(() => counts ?? countStates(all), [counts, all]);
  useEffect(() => want(queryOf(filter)), [filter]);
  useEffect(() => focusLastRow(), []);
  useKeys({
    j: () => moveFocus(1),
    k: () => moveFocus(-1),
    ArrowDown: () => moveFocus(1),
    ArrowUp: () => moveFocus(-1),
  });

  if (watcher === undefined) return is === "down" ? null : <p class="quiet">Reading the roll …</p>;
  if (sumOf(total) === 0) return <NoAgents heading />;
  return (
    <>
      <Headline counts={total} />
      <NeedsYou all={all} />
      <Filters all={all} counts={counts} filter={filter} />
      <div
        class={`roll${hosts < 2 || filter.by === "host" ? " one-host" : ""}`}
        role="table"
        aria-label="The roll"
        aria-rowcount={lines.length + 1}
      >
        <div role="rowgroup" class="roll-head">
          <div class="row head" role="row" aria-rowindex={1}>
            {COLUMNS.map(([name, sort]) => (
              <Column key={name} name={name} sort={sort} filter={filter} />
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          ref={list}
          style={{ paddingTop: `${above}px`, paddingBottom: `${below}px` }}
          onPointerEnter={() => hold(true)}
          onPointerLeave={() => hold(false)}
        >
          {lines.slice(from, to).map((line, offset) => {
            const place = from + offset + 2;
            if ("heading" in line)
              return <Heading key={`/${line.heading}`} {...line} place={place} filter={filter} />;
            const { id } = line.agent;
            const known = agents.get(id);
            return known === undefined ? null : (
              <Row
                key={id}
                known={known}
                strip={strips.get(id) ?? []}
                uptimes={uptimes(line.agent)}
                from={end - DAY}
                to={end}
                index={line.index}
                place={place}
              />
            );
          })}
        </div>
      </div>
      {/* The watcher stands on its own roll. */}
      {!isLarge && all.every(({ id }) => id.startsWith("rollcall@")) && <NoAgents />}
      {shown.length === 0 && !isEmpty(filter) && (
        <Empty title={`None of ${sumOf(total)} agents matches this filter.`}>
          <Link to={addressOf(filterOf(new URLSearchParams()))}>Show all</Link>
        </Empty>
      )}
      <p class="foot">
        {isEmpty(filter) && !isLarge ? `${all.length} agents` : `${shown.length} of ${sumOf(total)} agents`}
        {isLarge && isEmpty(filter) && ": those in trouble. Search, or click a state."}
        <span class="foot-keys">
          <kbd>j</kbd> <kbd>k</kbd> move · <kbd>/</kbd> search · <kbd>?</kbd> help
        </span>
      </p>
    </>
  );
}

/** A heading of a column. It sorts by it, first as one would look for trouble, and the other way round at the next click. */
function Column(props: { name: string; sort: Filter["sort"] | undefined; filter: Filter }) {
  const { name, sort, filter } = props;
  if (sort === undefined) return <span role="columnheader">{name}</span>;
  const isThis = filter.sort === sort;
  const down = isThis && sort !== "" && !filter.down;
  return (
    <span role="columnheader" aria-sort={!isThis ? "none" : filter.down ? "descending" : "ascending"}>
      <button type="button" class="sort" onClick={() => go(addressOf({ ...filter, sort, down }), "replace")}>
        {name}
        {isThis && sort !== "" && <span aria-hidden="true">{filter.down ? " ↑" : " ↓"}</span>}
      </button>
    </span>
  );
}

function NoAgents({ heading = false }: { heading?: boolean }) {
  return (
    <Empty
      heading={heading}
      title="There are no agents on the roll yet."
      commands={[
        "rollcall beat my-agent",
        "rollcall agents add my-agent --every 15m --grace 5m",
        "rollcall agents add builder --tmux builder --pipe",
      ]}
    >
      An agent joins with its first beat, by a command, or by the config file. Any of these will do:
    </Empty>
  );
}
