import { HOUR } from "../../src/core/duration.ts";
import { change } from "../api/ask.ts";
import { news } from "../api/live.ts";
import type { ActionView, RunView } from "../api/shapes.ts";
import { useRead } from "../api/use-read.ts";
import { now } from "../kit/clock.ts";
import { useValue } from "../kit/observable.ts";
import { Act } from "../parts/act.tsx";
import { Ago } from "../parts/ago.tsx";
import { Empty, NotYet } from "../parts/empty.tsx";
import { Hours } from "../parts/hours.tsx";
import { Axis } from "./axis.tsx";

const LEGEND = {
  ...{ done: "o-done", skipped: "o-skipped", failed: "o-failed" },
  ...{ "due next": "next-key", now: "now-key" },
};

/** The daemon's own work: what ran, what runs next, on one axis of time. */
export function SchedulePage() {
  const told = useValue(news);
  const reading = useRead<{ actions: ActionView[] }>("/actions", { version: told, every: 15_000 });
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
        {Object.entries(LEGEND).map(([name, mark]) => (
          <span key={name}>
            <span class={`key ${mark}`} /> {name}
          </span>
        ))}
      </p>
    </>
  );
}

function ActionRow(props: { action: ActionView; from: number; to: number; again: () => void }) {
  const { action, from, to, again } = props;
  const { name, enabled, nextAt } = action;
  const path = `/actions/${encodeURIComponent(name)}`;
  const runs = useRead<{ runs: RunView[] }>(`${path}/runs?limit=200`, { version: action.lastRun?.id });
  const post = (wish: string) => () => change("POST", `${path}/${wish}`, {}).then(again);
  const turn = enabled ? "Disable" : "Enable";
  return (
    <section class={`action ${enabled ? "" : "off"}`} aria-label={name}>
      <div class="action-name">
        <h2>{name}</h2>
        <p class="quiet small">{action.words}</p>
        <p class="small">{action.description}</p>
      </div>
      <div class="action-axis">
        <Axis name={name} runs={runs.value?.runs ?? []} nextAt={nextAt} from={from} to={to} />
      </div>
      <div class="action-now">
        <p>
          <LastRun action={action} />
        </p>
        <p class="quiet">
          {enabled && nextAt !== null ? (
            <>
              next <Ago at={nextAt} />
            </>
          ) : (
            "disabled"
          )}
          {action.failures > 0 && <span class="wrong"> {action.failures} failures in a row</span>}
        </p>
        {action.lastRun?.problem != null && <p class="wrong small">{action.lastRun.problem}</p>}
      </div>
      <div class="action-buttons">
        <Act
          does={post("run")}
          done={`${name} finished.`}
          cannot={action.running ? "It is already running." : undefined}
          label={`run ${name} now`}
        >
          Run
        </Act>
        <Act does={post(turn.toLowerCase())} label={`${turn.toLowerCase()} ${name}`}>
          {turn}
        </Act>
      </div>
    </section>
  );
}

function LastRun({ action: { running, lastRun } }: { action: ActionView }) {
  if (running) return <span class="outcome o-open">running</span>;
  if (lastRun === null) return <span class="quiet">never ran</span>;
  const { outcome, reason, problem, message, endedAt, dueAt } = lastRun;
  return (
    <>
      <span class={`outcome o-${outcome}`} title={problem ?? message ?? undefined}>
        {outcome}
        {reason !== null && `: ${reason}`}
      </span>{" "}
      <span class="quiet">
        <Ago at={endedAt ?? dueAt} />
      </span>
    </>
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
