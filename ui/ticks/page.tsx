import { news } from "../api/live.ts";
import type { TickCell, TickGrid } from "../api/shapes.ts";
import { useRead } from "../api/use-read.ts";
import { useValue } from "../kit/observable.ts";
import { address } from "../kit/place.ts";
import { Link } from "../kit/router.tsx";
import { exact } from "../parts/ago.tsx";
import { Empty, NotYet } from "../parts/empty.tsx";
import { TableHead } from "../parts/table-head.tsx";

const MARKS: Readonly<Record<TickCell["status"], string>> = {
  healthy: "✓",
  degraded: "~",
  critical: "!",
  offline: "×",
  missing: "○",
  invalid: "?",
};

/** The monthly health reports: agents by months. */
export function TicksPage() {
  const told = useValue(news);
  const reading = useRead<TickGrid>("/ticks", { version: told });
  if (reading.absent) return <NoTicks />;
  if (reading.value === undefined) return <NotYet reading={reading} what="the ticks" />;
  const { months, agents } = reading.value;
  if (agents.length === 0 || months.length === 0) return <NoTicks />;
  return (
    <>
      <h1>Ticks</h1>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus */}
      <div class="ticks-frame" tabIndex={0} role="region" aria-label="Ticks, agents by months">
        <table class="ticks">
          <TableHead columns={["Agent", ...months.map(sayMonth)]} />
          <tbody>
            {agents.map(({ id, name, ticks }) => (
              <tr key={id}>
                <th scope="row">
                  <Link to={address("agents", id)} title={name}>
                    {id}
                  </Link>
                </th>
                {months.map((month) => (
                  <Cell key={month} month={month} tick={ticks[month]} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="legend-line small quiet">
        {Object.entries(MARKS).map(([status, mark]) => (
          <span key={status}>
            <span class={`tick t-${status}`} aria-hidden="true">
              {mark}
            </span>{" "}
            {status}
          </span>
        ))}
        <span>· not due</span>
      </p>
    </>
  );
}

function Cell({ month, tick }: { month: string; tick: TickCell | undefined }) {
  // Where the months have no heading, each cell has its own.
  const short = `${month.slice(5)}/${month.slice(2, 4)}`;
  if (tick === undefined)
    return (
      <td class="none" data-month={short}>
        ·
      </td>
    );
  const { status, submittedAt, issue } = tick;
  const title = submittedAt === null ? status : `${status}, submitted ${exact(submittedAt)}`;
  const mark = (
    <span class={`tick t-${status}`} title={title}>
      <span aria-hidden="true">{MARKS[status]}</span>
      <span class="hidden">{title}</span>
    </span>
  );
  return (
    <td data-month={short}>
      {issue !== null && /^https?:\/\//.test(issue) ? (
        <a href={issue} target="_blank" rel="noreferrer noopener">
          {mark}
        </a>
      ) : (
        mark
      )}
    </td>
  );
}

function sayMonth(month: string): string {
  const date = new Date(`${month}-15T12:00:00Z`);
  return Number.isNaN(date.getTime())
    ? month
    : date.toLocaleDateString(undefined, { month: "short", year: "2-digit" });
}

function NoTicks() {
  return (
    <>
      <h1>Ticks</h1>
      <Empty title="No tick is recorded." commands={["rollcall tick submit", "rollcall install ticks"]}>
        A tick is an agent's monthly health report. Submit one by hand, or let the schedule do it:
      </Empty>
    </>
  );
}
