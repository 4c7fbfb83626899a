import { useState } from "preact/hooks";
import { roll } from "../api/live.ts";
import type { IncidentView } from "../api/shapes.ts";
import { now } from "../kit/clock.ts";
import { useValue } from "../kit/observable.ts";
import { address } from "../kit/place.ts";
import { Link } from "../kit/router.tsx";
import { Ago } from "../parts/ago.tsx";
import { StateWord } from "../parts/glyph.tsx";
import { onThisClock } from "../words/dates.ts";
import { sayDuration } from "../words/duration.ts";
import { CurrentState } from "./current-state.tsx";
import { IssueLink } from "./issue-link.tsx";

/** One incident of a list: how it opened and how its agent is now, what it is about, and what was done. */
export function IncidentRow(props: {
  incident: IncidentView;
  index: number;
  /** Which ones are marked; undefined where nothing can be done about them. */
  choice:
    | { readonly chosen: ReadonlySet<string>; readonly choose: (ids: readonly string[], on: boolean) => void }
    | undefined;
}) {
  const { incident, choice } = props;
  const name = incident.kind === "agent" ? incident.subject : `${incident.kind} ${incident.subject}`;
  return (
    <li class={`incident i-${incident.severity} ${incident.open ? "open" : "over"}`}>
      {choice !== undefined && (
        <input
          type="checkbox"
          aria-label={`mark ${name}`}
          checked={choice.chosen.has(incident.id)}
          onChange={({ currentTarget: { checked } }) => choice.choose([incident.id], checked)}
        />
      )}
      <span class="incident-state">
        <StateWord state={incident.state} />
        {incident.kind === "agent" && incident.open && (
          <CurrentState agent={incident.subject} opened={incident.state} />
        )}
      </span>
      <span class="incident-what">
        <Link to={address("incidents", incident.id)} index={props.index}>
          {name}
        </Link>
        <span class="incident-why">{onThisClock(incident.why, now())}</span>
        {incident.members !== null && <Members ids={incident.members} />}
      </span>
      <span class="incident-notes">
        {incident.host !== null && (
          <Link to={`/?host=${encodeURIComponent(incident.host)}`} class="tag" title="its host">
            {incident.host}
          </Link>
        )}
        {incident.flapping && <span class="tag">flapping</span>}
        {incident.times > 1 && <span class="tag">{incident.times}×</span>}
        {incident.acknowledged !== null && (
          <span class="tag ok" title={`by ${incident.acknowledged.by}`}>
            acknowledged
          </span>
        )}
        <IssueLink issue={incident.issue} />
      </span>
      <span class="incident-time">
        <Ago at={incident.openedAt} />
        {incident.open && incident.reopenedAt !== null && (
          <span class="quiet">
            reopened <Ago at={incident.reopenedAt} />
          </span>
        )}
        {incident.resolved !== null && (
          <span class="quiet">
            lasted {sayDuration(Date.parse(incident.resolved.at) - Date.parse(incident.openedAt))}
          </span>
        )}
      </span>
    </li>
  );
}

/** The agents of a group's incident, folded, each with its state of now. */
export function Members({ ids }: { ids: readonly string[] }) {
  const { agents } = useValue(roll);
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="member-list" onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>{ids.length} agents</summary>
      {isOpen && (
        <div class="members">
          {ids.map((id) => {
            const state = agents.get(id)?.agent.state;
            return (
              <span key={id}>
                {state !== undefined && <StateWord state={state} />}
                <Link to={address("agents", id)}>{id}</Link>
              </span>
            );
          })}
        </div>
      )}
    </details>
  );
}
