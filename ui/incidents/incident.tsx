import { change } from "../api/ask.ts";
import { news } from "../api/live.ts";
import { mayChange } from "../api/session.ts";
import type { DeliveryView, IncidentView, RecoveryView, ToldView } from "../api/shapes.ts";
import { useRead } from "../api/use-read.ts";
import { DeliveryTable } from "../deliveries/table.tsx";
import { now } from "../kit/clock.ts";
import { useValue } from "../kit/observable.ts";
import { address } from "../kit/place.ts";
import { Link } from "../kit/router.tsx";
import { Act } from "../parts/act.tsx";
import { Ago, exact } from "../parts/ago.tsx";
import { Empty, NotYet } from "../parts/empty.tsx";
import { Fact } from "../parts/fact.tsx";
import { coloursOf, StateWord } from "../parts/glyph.tsx";
import { sayAttempts } from "../words/attempts.ts";
import { onThisClock } from "../words/dates.ts";
import { CurrentState } from "./current-state.tsx";
import { IssueLink } from "./issue-link.tsx";
import { Members } from "./row.tsx";
import { incidentMoments } from "./time-line.ts";

interface Answer {
  readonly incident: IncidentView;
  readonly told: readonly ToldView[];
  readonly deliveries: readonly DeliveryView[];
}

/** One incident: what was found when it opened, who was told, and what can be done. */
export function IncidentPage({ id }: { id: string }) {
  const changes = useValue(news);
  const path = `/incidents/${encodeURIComponent(id)}`;
  const reading = useRead<Answer>(path, { version: changes, every: 30_000 });
  const may = useValue(mayChange);
  const about = reading.value?.incident;
  const recoveries = useRead<{ recoveries: RecoveryView[] }>(
    about?.kind === "agent" ? `/agents/${encodeURIComponent(about.subject)}/recoveries` : undefined,
    { version: changes },
  );
  if (reading.absent) {
    return (
      <Empty heading title="There is no such incident.">
        <Link to="/incidents">All incidents</Link>
      </Empty>
    );
  }
  if (reading.value === undefined) return <NotYet reading={reading} what="the incident" />;
  const { incident, deliveries } = reading.value;
  const told = reading.value.told.filter(({ deliveredAt }) => deliveredAt !== null);
  const untold = reading.value.told.filter(({ undelivered }) => undelivered > 0);
  const post = (wish: string) => () =>
    change("POST", `${path}/${wish}`, { by: "dashboard" }).then(reading.again);
  const { acknowledged, findings } = incident;
  const isAgent = incident.kind === "agent";
  return (
    <article class="agent">
      <header class="agent-head">
        <nav aria-label="Back">
          <Link to="/incidents">← Incidents</Link>
        </nav>
        <h1>
          {incident.kind === "agent" ? (
            <Link to={address("agents", incident.subject)}>{incident.subject}</Link>
          ) : (
            `${incident.kind} ${incident.subject}`
          )}
        </h1>
        <p class="agent-state">
          <StateWord state={incident.state} />
          {isAgent && <CurrentState agent={incident.subject} opened={incident.state} />}
          <span class="tag">{incident.severity}</span>
          <span class="quiet">
            opened <Ago at={incident.openedAt} />
            {incident.reopenedAt !== null && (
              <>
                , reopened <Ago at={incident.reopenedAt} />
              </>
            )}
            , noticed <Ago at={incident.noticedAt} />
          </span>
          <IssueLink issue={incident.issue} />
        </p>
      </header>
      {may && incident.open && (
        <div class="buttons" role="group" aria-label="Actions for this incident">
          <Act
            does={post("acknowledge")}
            done="Acknowledged: no more reminders."
            cannot={whyNot(incident, acknowledged?.by)}
          >
            Acknowledge
          </Act>
          <Act does={post("resolve")} done="Resolved." cannot={whyNot(incident)}>
            Resolve
          </Act>
        </div>
      )}
      <section class="card" aria-labelledby="what">
        <h2 id="what">What happened</h2>
        <p class="why" style={coloursOf(incident.state)}>
          {onThisClock(incident.why, now())}
        </p>
        <dl class="facts-list">
          <Fact name="Reason">
            <code>{incident.reason}</code>
            {incident.times > 1 && ` · in trouble ${incident.times} times within a day`}
            {incident.flapping && " · flapping"}
          </Fact>
          {incident.host !== null && (
            <Fact name="Host">
              <Link to={`/?host=${encodeURIComponent(incident.host)}`}>{incident.host}</Link>
            </Fact>
          )}
          {told.length > 0 && (
            <Fact name="Delivered">
              {told.map(({ place, deliveredAt, delivered }) => (
                <span key={place} class="told">
                  {place} <Ago at={deliveredAt ?? incident.openedAt} />
                  {delivered > 1 && `, ${delivered} messages`}
                </span>
              ))}
            </Fact>
          )}
          {untold.length > 0 && (
            <Fact name="Not delivered">
              {untold.map(({ place, since, undelivered, attempts, problem, held }) => (
                <span key={place} class={attempts > 0 ? "told wrong" : "told"}>
                  {place}: {undelivered === 1 ? "1 message" : `${undelivered} messages, the oldest`} from{" "}
                  <Ago at={since ?? incident.openedAt} />.{" "}
                  {held === null
                    ? sayAttempts(attempts)
                    : `Held back until ${exact(held.until)} (${held.by})`}
                  {problem !== null && `; the last one: ${problem}`}
                </span>
              ))}
            </Fact>
          )}
          {incident.members !== null && (
            <Fact name="Members">
              <Members ids={incident.members} />
            </Fact>
          )}
        </dl>
      </section>
      <TimeLine incident={incident} deliveries={deliveries} recoveries={recoveries.value?.recoveries ?? []} />
      <section class="card" aria-labelledby="findings">
        <h2 id="findings">Evidence when it opened</h2>
        {findings === null ? (
          <p class="quiet">No evidence: there was no log, screen or process to look at.</p>
        ) : (
          findings.items.map(({ title, text }) => (
            <div key={title}>
              <h3>{title}</h3>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus */}
              <pre class="screen" tabIndex={0} role="region" aria-label={title}>
                {text}
              </pre>
            </div>
          ))
        )}
      </section>
      <section class="card" aria-labelledby="told">
        <h2 id="told">Deliveries</h2>
        {deliveries.length === 0 ? (
          <p class="quiet">
            No message was sent: no route matches, alerts are muted, or the message is still held back.
          </p>
        ) : (
          <DeliveryTable deliveries={deliveries} again={reading.again} />
        )}
      </section>
    </article>
  );
}

/** What happened about it, in order. */
function TimeLine(props: {
  incident: IncidentView;
  deliveries: readonly DeliveryView[];
  recoveries: readonly RecoveryView[];
}) {
  return (
    <section class="card" aria-labelledby="time-line">
      <h2 id="time-line">Time line</h2>
      <ol class="timeline">
        {incidentMoments(props.incident, props.deliveries, props.recoveries).map(({ at, what, text }) => (
          <li key={`${at}${what}${text}`} class={`m-${what.replace(" ", "-")}`}>
            <Ago at={at} />
            <span class="tag">{what}</span>
            <span>{onThisClock(text, now())}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function whyNot({ resolved }: IncidentView, by?: string): string | undefined {
  if (resolved !== null) return "The incident is over.";
  return by && `Already acknowledged by ${by}.`;
}
