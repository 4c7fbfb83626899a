import { change } from "../api/ask.ts";
import { news } from "../api/live.ts";
import type { Action, Run } from "../api/shapes.ts";
import { useRead } from "../api/use-read.ts";
import { now } from "../clock.ts";
import { useValue } from "../observable.ts";
import { Act } from "../parts/act.tsx";
import { Ago } from "../parts/ago.tsx";
import { Empty, NotYet } from "../parts/empty.tsx";
import { Hours } from "../parts/hours.tsx";
import { Axis } from "./axis.tsx";

const HOUR = 3_600_000;

/** The daemon's own work: what ran, what runs next, on one axis of time. */
export function SchedulePage() {
  const told = useValue(news);
  const reading = useRead<{ actions: Action[] }>("/actions", { version: told, every: 15_000 });
  if (reading.absent) return <NoActions />;
  if (reading.value === undefined) return <NotYet reading={reading} what="the schedule" />;
  const { actions } = reading.value;
  if (actions.length === 0) return <NoActions />;
  const from = now() - 24 * HOUR;
  const to = now() + 12 * HOUR;
  return (
    <>
      <h1>Schedule</h1>
      <div class="schedule">
        {actions.map((action) => (
          <ActionRow key={action.name} action={action} from={from} to={to} again={reading.again} />
        ))}
        <div class="schedule-hours">
          <Hours from={from} to={to} every={6 * HOUR} />
        </div>
      </div>
      <p class="legend-line small quiet">
        <span class="key o-done" /> done <span class="key o-skipped" /> skipped <span class="key o-failed" />{" "}
        failed <span class="key next-key" /> due next <span class="key now-key" /> now
      </p>
    </>
  );
}

function ActionRow(props: { action: Action; from: number; to: number; again: () => void }) {
  const { action, from, to, again } = props;
  const path = `/actions/${encodeURIComponent(action.name)}`;
  const runs = useRead<{ runs: Run[] }>(`${path}/runs?limit=200`, { version: action.lastRun?.id });
  const post = (wish: string) => () => change("POST", `${path}/${wish}`, {}).then(again);
  const { lastRun } = action;
  return (
    <section class={`action ${action.enabled ? "" : "off"}`} aria-label={action.name}>
      <div class="action-name">
        <h2>{action.name}</h2>
        <p class="quiet small">
          {action.words ?? action.schedule} ·{" "}
          <span title={`declared by ${action.source}`}>{action.source}</span>
        </p>
        {action.description !== null && <p class="small">{action.description}</p>}
      </div>
      <div class="action-axis">
        <Axis name={action.name} runs={runs.value?.runs ?? []} nextAt={action.nextAt} from={from} to={to} />
      </div>
      <div class="action-now">
        <p>
          {action.running ? (
            <span class="outcome o-open">running</span>
          ) : lastRun === null ? (
            <span class="quiet">never ran</span>
          ) : (
            <>
              <span
                class={`outcome o-${lastRun.outcome ?? "open"}`}
                title={lastRun.problem ?? lastRun.message ?? undefined}
              >
                {lastRun.outcome ?? "running"}
                {lastRun.reason !== null && `: ${lastRun.reason}`}
              </span>{" "}
              <span class="quiet">
                <Ago at={lastRun.endedAt ?? lastRun.dueAt} />
              </span>
            </>
          )}
        </p>
        <p class="quiet">
          {action.enabled && action.nextAt !== null ? (
            <>
              next <Ago at={action.nextAt} />
            </>
          ) : (
            "disabled"
          )}
          {action.failures > 0 && <span class="wrong"> {action.failures} failures in a row</span>}
        </p>
        {lastRun?.problem != null && <p class="wrong small">{lastRun.problem}</p>}
      </div>
      <div class="action-buttons">
        <Act
          does={post("run")}
          done={`${action.name} started.`}
          cannot={action.running ? "It is already running." : undefined}
          label={`run ${action.name} now`}
        >
          Run
        </Act>
        <Act
          does={post(action.enabled ? "disable" : "enable")}
          label={`${action.enabled ? "disable" : "enable"} ${action.name}`}
        >
          {action.enabled ? "Disable" : "Enable"}
        </Act>
      </div>
    </section>
  );
}

function NoActions() {
  return (
    <>
      <h1>Schedule</h1>
      <Empty title="Nothing is scheduled." commands={["rollcall config check", "rollcall daemon reload"]}>
        Scheduled actions appear here once the config file declares them under <code>heartbeat</code> and the
        daemon has read it.
      </Empty>
    </>
  );
}
