import { useState } from "preact/hooks";
import { change } from "../api/ask.ts";
import { news } from "../api/live.ts";
import type { IncidentsAnswer, IncidentView, SilenceView } from "../api/shapes.ts";
import { useRead, useReadOn } from "../api/use-read.ts";
import { now } from "../kit/clock.ts";
import { moveFocus, useKeys } from "../kit/keys.ts";
import { useValue } from "../kit/observable.ts";
import { address } from "../kit/place.ts";
import { Link } from "../kit/router.tsx";
import { Act } from "../parts/act.tsx";
import { Ago } from "../parts/ago.tsx";
import { Empty, NotYet } from "../parts/empty.tsx";
import { StateWord } from "../parts/glyph.tsx";
import { TableHead } from "../parts/table-head.tsx";
import { onThisClock } from "../words/dates.ts";
import { sayDuration } from "../words/duration.ts";
import { IssueLink } from "./issue-link.tsx";

/** So many are shown at first, and so many more at a time. */
const PAGE = 100;

/** Episodes of trouble: the open ones, those of groups first, and those that are over. */
export function IncidentsPage() {
  const told = useValue(news);
  const [shown, setShown] = useState({ open: PAGE, over: PAGE });
  const options = { version: told, every: 30_000 };
  const groups = useReadOn<IncidentsAnswer>("/incidents?open=true&kind=group&limit=1000", options);
  const alone = useReadOn<IncidentsAnswer>(
    `/incidents?open=true&kind=agent&grouped=true&limit=${shown.open}`,
    options,
  );
  const over = useReadOn<IncidentsAnswer>(`/incidents?over=true&limit=${shown.over}`, options);
  useKeys({ j: () => moveFocus(1), k: () => moveFocus(-1) });
  for (const reading of [groups, alone, over]) {
    if (reading.value === undefined) return <NotYet reading={reading} what="the incidents" />;
  }
  const open = [...(groups.value?.incidents ?? []), ...(alone.value?.incidents ?? [])];
  const past = over.value?.incidents ?? [];
  const counts = alone.value?.counts ?? { open: 0, spokenFor: 0 };
  return (
    <>
      <h1>Incidents</h1>
      {open.length === 0 ? (
        <Empty title="No incident is open.">
          An incident opens when an agent needs attention, and keeps the evidence from that moment.
        </Empty>
      ) : (
        <List
          name="Open"
          count={`${counts.open}${counts.spokenFor > 0 ? `, of which ${counts.spokenFor} within a group` : ""}`}
          incidents={open}
          offset={0}
          more={alone.value?.next != null && (() => setShown({ ...shown, open: shown.open + PAGE }))}
        />
      )}
      {past.length > 0 && (
        <List
          name="Over"
          count={over.value?.next == null ? String(past.length) : `the newest ${past.length}`}
          incidents={past}
          offset={open.length}
          more={over.value?.next != null && (() => setShown({ ...shown, over: shown.over + PAGE }))}
        />
      )}
      <Silences version={told} />
    </>
  );
}

function List(props: {
  name: string;
  count: string;
  incidents: readonly IncidentView[];
  offset: number;
  more: false | (() => void);
}) {
  const { name, offset } = props;
  return (
    <section aria-labelledby={`list-${name}`}>
      <h2 id={`list-${name}`}>
        {name} <span class="quiet">{props.count}</span>
      </h2>
      <ul class="incidents">
        {props.incidents.map((incident, index) => (
          <li key={incident.id} class={`incident i-${incident.severity} ${incident.open ? "open" : "over"}`}>
            <span class="incident-state">
              <StateWord state={incident.state} />
            </span>
            <span class="incident-what">
              <Link to={address("incidents", incident.id)} index={offset + index}>
                {incident.kind === "agent" ? incident.subject : `${incident.kind} ${incident.subject}`}
              </Link>
              <span class="incident-why">{onThisClock(incident.why, now())}</span>
            </span>
            <span class="incident-notes">
              {incident.host !== null && (
                <Link to={`/?host=${encodeURIComponent(incident.host)}`} class="tag" title="its host">
                  {incident.host}
                </Link>
              )}
              {incident.members !== null && <span class="tag">{incident.members.length} agents</span>}
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
              {incident.resolved !== null && (
                <span class="quiet">
                  lasted {sayDuration(Date.parse(incident.resolved.at) - Date.parse(incident.openedAt))}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      {props.more && (
        <p>
          <button type="button" onClick={props.more}>
            Show {PAGE} more
          </button>
        </p>
      )}
    </section>
  );
}

function Silences({ version }: { version: number }) {
  const reading = useRead<{ silences: SilenceView[] }>("/silences", { version });
  const silences = reading.value?.silences ?? [];
  if (silences.length === 0) return null;
  return (
    <section aria-labelledby="silences">
      <h2 id="silences">
        Silences <span class="quiet">{silences.length}</span>
      </h2>
      <table class="plain-table wide">
        <TableHead columns={["Agents", "Why", "By", "Ends"]} unseen="End it" />
        <tbody>
          {silences.map(({ id, agents, why, by, until }) => (
            <tr key={id}>
              <th scope="row">{agents}</th>
              <td>{why}</td>
              <td>{by}</td>
              <td>
                <Ago at={until} />
              </td>
              <td class="end">
                <Act
                  does={() => change("DELETE", `/silences/${encodeURIComponent(id)}`).then(reading.again)}
                  done="The silence has ended; alerts are sent again."
                  label={`end the silence of ${agents}`}
                >
                  End
                </Act>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
