import { useRef } from "preact/hooks";
import { countStates, type StateCounts } from "../../src/core/liveness/state.ts";
import type { AgentView, State } from "../api/shapes.ts";
import { useKeys } from "../kit/keys.ts";
import { go } from "../kit/router.tsx";
import { Glyph } from "../parts/glyph.tsx";
import { MEANS, STATES } from "../words/states.ts";
import { addressOf, type Filter, passesRest, SORTS } from "./filter.ts";

/** How many are in which state, which is also the filter by state; and the other filters. */
export function Filters(props: {
  all: readonly AgentView[];
  /** Of a large fleet, of which `all` are only a part. */
  counts: StateCounts | undefined;
  filter: Filter;
}) {
  const { all, filter } = props;
  const search = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => search.current?.select() });
  const set = (change: Partial<Filter>, how: "push" | "replace" = "push") =>
    go(addressOf({ ...filter, ...change }), how);
  return (
    <div class="filters">
      <Counts {...props} set={set} />
      <div class="filter-fields" role="search">
        {(["group", "host"] as const).map((name) => (
          <Choice
            key={name}
            name={name}
            all={all.map((agent) => agent[name] ?? "")}
            value={filter[name]}
            set={(value) => set({ [name]: value })}
          />
        ))}
        <Headings all={all} filter={filter} set={set} />
        <select
          class="phone-only"
          aria-label="sort by"
          value={filter.sort}
          onChange={(event) => set({ sort: event.currentTarget.value as Filter["sort"], down: false })}
        >
          <option value="">trouble first</option>
          {SORTS.map((sort) => (
            <option key={sort} value={sort}>
              by {sort}
            </option>
          ))}
        </select>
        <input
          ref={search}
          type="search"
          aria-label="search agents"
          placeholder="Search   /"
          value={filter.text}
          onInput={(event) => set({ text: event.currentTarget.value }, "replace")}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.currentTarget.blur();
          }}
        />
      </div>
    </div>
  );
}

function Counts(props: {
  all: readonly AgentView[];
  counts: StateCounts | undefined;
  filter: Filter;
  set: (change: Partial<Filter>) => void;
}) {
  const { filter } = props;
  const isNarrowed = filter.group + filter.host + filter.text !== "";
  const passing = props.all.filter((agent) => passesRest(agent, filter));
  const counts = (!isNarrowed && props.counts) || countStates(passing);
  const toggle = (state: State) => {
    const states = new Set(filter.states);
    if (!states.delete(state)) states.add(state);
    props.set({ states });
  };
  const shown = STATES.filter((state) => counts[state] || filter.states.has(state));
  return (
    <fieldset class="counts">
      <legend class="hidden">Filter by state</legend>
      {shown.map((state) => (
        <button
          key={state}
          type="button"
          class="count"
          aria-pressed={filter.states.has(state)}
          title={MEANS[state]}
          onClick={() => toggle(state)}
        >
          <Glyph state={state} />
          <b>{counts[state] ?? 0}</b> {state}
        </button>
      ))}
      {filter.states.size > 0 && (
        <button type="button" class="plain" onClick={() => props.set({ states: new Set() })}>
          all states
        </button>
      )}
    </fieldset>
  );
}

/** Whether rows stand under headings, where there would be more than one. */
function Headings(props: {
  all: readonly AgentView[];
  filter: Filter;
  set: (change: Partial<Filter>) => void;
}) {
  const { by } = props.filter;
  const useful = (["group", "host"] as const).filter(
    (name) => name === by || new Set(props.all.map((agent) => agent[name])).size > 1,
  );
  if (useful.length === 0) return null;
  return (
    <select
      aria-label="headings"
      value={by}
      onChange={(event) => props.set({ by: event.currentTarget.value as Filter["by"] })}
    >
      <option value="">no headings</option>
      {useful.map((name) => (
        <option key={name} value={name}>
          by {name}
        </option>
      ))}
    </select>
  );
}

/** A choice among the values that occur; where there is but one, there is nothing to choose. */
function Choice(props: {
  name: string;
  all: readonly string[];
  value: string;
  set: (value: string) => void;
}) {
  const values = [...new Set(props.all)].filter((value) => value !== "").sort();
  if (values.length < 2 && props.value === "") return null;
  if (props.value !== "" && !values.includes(props.value)) values.push(props.value);
  return (
    <select
      aria-label={`filter by ${props.name}`}
      value={props.value}
      onChange={(event) => props.set(event.currentTarget.value)}
    >
      <option value="">every {props.name}</option>
      {values.map((value) => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </select>
  );
}
