import { useState } from "preact/hooks";
import { news } from "../api/live.ts";
import { mayChange } from "../api/session.ts";
import type { IncidentsAnswer, IncidentView } from "../api/shapes.ts";
import { useReadOn } from "../api/use-read.ts";
import { moveFocus, useKeys } from "../kit/keys.ts";
import { useValue } from "../kit/observable.ts";
import { go, usePlace } from "../kit/router.tsx";
import { Empty, NotYet } from "../parts/empty.tsx";
import { Bulk } from "./bulk.tsx";
import { incidentAddress, incidentFilter, passes } from "./filter.ts";
import { IncidentFilters } from "./filters.tsx";
import { IncidentRow } from "./row.tsx";
import { Silences } from "./silences.tsx";

/** So many are shown at first, and so many more at a time. */
const PAGE = 100;

/** Episodes of trouble: the open ones, those of groups first, and those that are over. */
export function IncidentsPage() {
  const told = useValue(news);
  const may = useValue(mayChange);
  const { query } = usePlace();
  const filter = incidentFilter(query);
  const [shown, setShown] = useState({ open: PAGE, over: PAGE });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
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
  const all = [...(groups.value?.incidents ?? []), ...(alone.value?.incidents ?? [])];
  const open = all.filter((incident) => passes(incident, filter));
  const allPast = over.value?.incidents ?? [];
  const past = allPast.filter((incident) => passes(incident, filter));
  const counts = alone.value?.counts ?? { open: 0, spokenFor: 0 };
  const again = () => {
    for (const reading of [groups, alone, over]) reading.again();
  };
  const marked = open.filter(({ id }) => chosen.has(id));
  const choose = (ids: readonly string[], on: boolean) => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    setChosen(next);
  };
  const isAll = open.length > 0 && marked.length === open.length;
  return (
    <>
      <div class="title-line">
        <h1>Incidents</h1>
        <IncidentFilters
          all={[...all, ...allPast]}
          filter={filter}
          set={(change) => go(incidentAddress({ ...filter, ...change }), "replace")}
        />
      </div>
      {all.length === 0 ? (
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
          choice={may ? { chosen, choose } : undefined}
        >
          {may && (
            <Bulk
              incidents={marked}
              isAll={isAll}
              chooseAll={(on) =>
                choose(
                  open.map(({ id }) => id),
                  on,
                )
              }
              onDone={() => {
                setChosen(new Set());
                again();
              }}
            />
          )}
        </List>
      )}
      {past.length > 0 && (
        <List
          name="Over"
          count={over.value?.next == null ? String(past.length) : `the newest ${past.length}`}
          incidents={past}
          offset={open.length}
          more={over.value?.next != null && (() => setShown({ ...shown, over: shown.over + PAGE }))}
          choice={undefined}
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
  choice: Parameters<typeof IncidentRow>[0]["choice"];
  children?: preact.ComponentChildren;
}) {
  const { name, offset } = props;
  return (
    <section aria-labelledby={`list-${name}`}>
      <div class="list-head">
        <h2 id={`list-${name}`}>
          {name} <span class="quiet">{props.count}</span>
        </h2>
        {props.children}
      </div>
      {props.incidents.length === 0 && <p class="quiet">None matches this filter.</p>}
      <ul class="incidents">
        {props.incidents.map((incident, index) => (
          <IncidentRow key={incident.id} incident={incident} index={offset + index} choice={props.choice} />
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
