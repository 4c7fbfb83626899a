import { useState } from "preact/hooks";
import { news } from "../api/live.ts";
import type { AuditView } from "../api/shapes.ts";
import { useReadOn } from "../api/use-read.ts";
import { useValue } from "../kit/observable.ts";
import { Ago } from "../parts/ago.tsx";
import { NotYet } from "../parts/empty.tsx";
import { TableHead } from "../parts/table-head.tsx";

const PAGE = 100;

/** Who changed what, newest first. */
export function Audit() {
  const [shown, setShown] = useState(PAGE);
  const reading = useReadOn<{ audit: AuditView[]; next: string | null }>(`/audit?limit=${shown}`, {
    version: useValue(news),
    every: 30_000,
  });
  if (reading.problem?.status === 403)
    return <p class="quiet">The audit log is shown to those who may change things (scope admin).</p>;
  if (reading.value === undefined) return <NotYet reading={reading} what="the audit log" />;
  const { audit, next } = reading.value;
  if (audit.length === 0) return <p class="quiet">Nobody has changed anything yet.</p>;
  return (
    <>
      <table class="plain-table wide audit">
        <TableHead columns={["When", "Who", "From", "What"]} />
        <tbody>
          {audit.map(({ at, who, what, from }) => (
            <tr key={`${at}${who}${what}`}>
              <td class="when">
                <Ago at={at} />
              </td>
              <th scope="row">{who}</th>
              <td class="quiet">{from ?? "–"}</td>
              <td class="what">
                <code>{what}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {next !== null && (
        <p>
          <button type="button" onClick={() => setShown(shown + PAGE)}>
            Show {PAGE} more
          </button>
        </p>
      )}
    </>
  );
}
