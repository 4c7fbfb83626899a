import { useMemo, useRef } from "preact/hooks";
import { DAY } from "../../src/core/duration.ts";
import { link, roll } from "../api/live.ts";
import { now } from "../kit/clock.ts";
import { moveFocus, useKeys } from "../kit/keys.ts";
import { useValue } from "../kit/observable.ts";
import { Link, usePlace } from "../kit/router.tsx";
import { Empty } from "../parts/empty.tsx";
import { addressOf, byTrouble, filterOf, isEmpty, linesOf, passesRest } from "./filter.ts";
import { Filters } from "./filters.tsx";
import { Heading } from "./heading.tsx";
import { Row } from "./row.tsx";
import { useWindow } from "./use-window.ts";

const COLUMNS = ["State", "Agent", "Why", "Since", "Last action", "Cycle", "Host", "24 hours"] as const;

/** The roll: every agent, trouble first. */
export function RollPage() {
  const { agents, strips, watcher } = useValue(roll);
  const { is } = useValue(link);
  const { query } = usePlace();
  const asked = query.toString();
  const filter = useMemo(() => filterOf(new URLSearchParams(asked)), [asked]);
  const all = useMemo(() => [...agents.values()].map(({ agent }) => agent), [agents]);
  const shown = useMemo(() => {
    const kept = all.filter((agent) => passesRest(agent, filter));
    const { states } = filter;
    return (states.size === 0 ? kept : kept.filter(({ state }) => states.has(state))).sort(byTrouble);
  }, [all, filter]);
  const list = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => linesOf(shown, filter.by), [shown, filter.by]);
  const headings = useMemo(() => lines.flatMap((line, place) => ("heading" in line ? [place] : [])), [lines]);
  const { from, to, above, below } = useWindow(list, lines.length, headings);
  useKeys({
    j: () => moveFocus(1),
    k: () => moveFocus(-1),
    ArrowDown: () => moveFocus(1),
    ArrowUp: () => moveFocus(-1),
  });

  // In whole minutes: a strip is a picture, and need not be drawn anew for every change of another agent.
  const end = Math.ceil(now() / 60_000) * 60_000;
  if (watcher === undefined) return is === "down" ? null : <p class="quiet">Reading the roll …</p>;
  if (all.length === 0) return <NoAgents heading />;
  return (
    <>
      <h1 class="hidden">The roll</h1>
      <Filters all={all} filter={filter} />
      <div
        class={filter.by === "" ? "roll" : `roll by-${filter.by}`}
        role="table"
        aria-label="The roll"
        aria-rowcount={lines.length + 1}
      >
        <div role="rowgroup" class="roll-head">
          <div class="row head" role="row" aria-rowindex={1}>
            {COLUMNS.map((name) => (
              <span key={name} role="columnheader">
                {name}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" ref={list} style={{ paddingTop: `${above}px`, paddingBottom: `${below}px` }}>
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
      {all.every(({ id }) => id.startsWith("rollcall@")) && <NoAgents />}
      {shown.length === 0 && (
        <Empty title={`None of ${all.length} agents matches this filter.`}>
          <Link to={addressOf(filterOf(new URLSearchParams()))}>Show all</Link>
        </Empty>
      )}
      <p class="foot">
        {isEmpty(filter) ? `${all.length} agents` : `${shown.length} of ${all.length} agents`}
        <span class="foot-keys">
          <kbd>j</kbd> <kbd>k</kbd> move · <kbd>/</kbd> search · <kbd>?</kbd> help
        </span>
      </p>
    </>
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
