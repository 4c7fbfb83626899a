import { roll } from "../api/live.ts";
import type { AgentView } from "../api/shapes.ts";
import { contactOf } from "../hosts/contact.ts";
import { useValue } from "../kit/observable.ts";
import { Link } from "../kit/router.tsx";
import { Ago } from "../parts/ago.tsx";
import { Glyph } from "../parts/glyph.tsx";
import { STATES } from "../words/states.ts";
import { addressOf, type Filter } from "./filter.ts";

/** The heading of a group or a host on the roll: its name, and how its agents are. */
export function Heading(props: {
  heading: string;
  agents: readonly AgentView[];
  /** Its number among all lines of the table. */
  place: number;
  filter: Filter;
}) {
  const { heading, agents, filter } = props;
  const { by } = filter;
  const known = useValue(roll).agents;
  const lost = contactOf(known, by === "host" ? heading : null)?.lostSince;
  const count = (state: AgentView["state"]) => agents.filter((agent) => agent.state === state).length;
  return (
    <div class="heading" role="row" aria-rowindex={props.place} data-heading={heading}>
      <span role="rowheader" aria-colspan={10}>
        {heading === "" || by === "" ? (
          <b>no {by}</b>
        ) : (
          <Link to={addressOf({ ...filter, [by]: heading, by: "" })} title={`only ${by} ${heading}`}>
            {heading}
          </Link>
        )}
        {STATES.filter((state) => count(state) > 0).map((state) => (
          <span key={state} class="quiet">
            <Glyph state={state} /> {count(state)} {state}
          </span>
        ))}
        {lost !== undefined && (
          <span class="lost">
            out of contact for <Ago at={lost} form="length" />
          </span>
        )}
      </span>
    </div>
  );
}
