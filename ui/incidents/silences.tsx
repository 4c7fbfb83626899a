import { change } from "../api/ask.ts";
import { mayChange } from "../api/session.ts";
import type { SilenceView } from "../api/shapes.ts";
import { useRead } from "../api/use-read.ts";
import { useValue } from "../kit/observable.ts";
import { Act } from "../parts/act.tsx";
import { Ago } from "../parts/ago.tsx";
import { TableHead } from "../parts/table-head.tsx";

/** The mutes that have not ended. */
export function Silences({ version }: { version: number }) {
  const reading = useRead<{ silences: SilenceView[] }>("/silences", { version });
  const may = useValue(mayChange);
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
                {may && (
                  <Act
                    does={() => change("DELETE", `/silences/${encodeURIComponent(id)}`).then(reading.again)}
                    done="The silence has ended; alerts are sent again."
                    label={`end the silence of ${agents}`}
                  >
                    End
                  </Act>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
