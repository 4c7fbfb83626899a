import type { CycleView } from "../api/shapes.ts";
import { Ago } from "../parts/ago.tsx";
import { TableHead } from "../parts/table-head.tsx";
import { sayDuration } from "../words/duration.ts";

const SHOWN = 12;

/** Its last rounds of work: when, for how long, and how they ended. */
export function Cycles({ cycles }: { cycles: readonly CycleView[] }) {
  const longest = Math.max(1, ...cycles.slice(0, SHOWN).map(lengthOf));
  return (
    <section class="card" aria-labelledby="cycles">
      <h2 id="cycles">Cycles</h2>
      {cycles.length === 0 ? (
        <p class="quiet">
          No cycle is recorded. <code>rollcall run</code> and beats with a cycle number record cycles.
        </p>
      ) : (
        <table class="plain-table cycles">
          <TableHead columns={["No.", "Began", "Lasted", "Outcome", "Last action"]} numbers={["No."]} />
          <tbody>
            {cycles.slice(0, SHOWN).map((cycle) => (
              <tr key={`${cycle.number}${cycle.beganAt}`}>
                <td class="num">{cycle.number}</td>
                <td>
                  <Ago at={cycle.beganAt} />
                </td>
                <td>
                  <meter class={`o-${cycle.outcome ?? "open"}`} min={0} max={longest} value={lengthOf(cycle)}>
                    {sayDuration(lengthOf(cycle))}
                  </meter>
                  <span>{sayDuration(lengthOf(cycle))}</span>
                </td>
                <td>
                  <span class={`outcome o-${cycle.outcome ?? "open"}`}>{cycle.outcome ?? "in progress"}</span>
                </td>
                <td class="cut" title={cycle.lastAction}>
                  {cycle.lastAction ?? "–"}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function lengthOf({ beganAt, lastAt, endedAt }: CycleView): number {
  return Date.parse(endedAt ?? lastAt) - Date.parse(beganAt);
}
