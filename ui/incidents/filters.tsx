import type { IncidentView, State } from "../api/shapes.ts";
import { STATES } from "../words/states.ts";
import type { ShownIncidents } from "./filter.ts";

/** The filters of the incidents: by the state they opened with, by severity, by text. */
export function IncidentFilters(props: {
  all: readonly IncidentView[];
  filter: ShownIncidents;
  set: (change: Partial<ShownIncidents>) => void;
}) {
  const { filter, set } = props;
  const known = new Set(props.all.map(({ state }) => state));
  const states = STATES.filter((state) => known.has(state) || state === filter.state);
  return (
    <div class="filter-fields" role="search">
      <select
        aria-label="filter by state"
        value={filter.state}
        onChange={({ currentTarget: { value } }) => set({ state: value as State | "" })}
      >
        <option value="">every state</option>
        {states.map((state) => (
          <option key={state}>{state}</option>
        ))}
      </select>
      <select
        aria-label="filter by severity"
        value={filter.severity}
        onChange={({ currentTarget: { value } }) => set({ severity: value as ShownIncidents["severity"] })}
      >
        <option value="">every severity</option>
        <option>critical</option>
        <option>warning</option>
      </select>
      <label class="check">
        <input
          type="checkbox"
          checked={filter.unacknowledged}
          onChange={({ currentTarget: { checked } }) => set({ unacknowledged: checked })}
        />
        not acknowledged
      </label>
      <input
        type="search"
        aria-label="search incidents"
        placeholder="Search"
        value={filter.text}
        onInput={({ currentTarget: { value } }) => set({ text: value })}
      />
    </div>
  );
}
