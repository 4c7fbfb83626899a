import { useState } from "preact/hooks";
import { SilenceDialog } from "../agent/silence-dialog.tsx";
import { change } from "../api/ask.ts";
import type { IncidentView } from "../api/shapes.ts";
import { Act } from "../parts/act.tsx";

/** What is done about all incidents that are marked. */
export function Bulk(props: {
  incidents: readonly IncidentView[];
  isAll: boolean;
  chooseAll: (on: boolean) => void;
  onDone: () => void;
}) {
  const { incidents, isAll, chooseAll, onDone } = props;
  const [isSilencing, setSilencing] = useState(false);
  const open = incidents.filter(({ acknowledged }) => acknowledged === null);
  const agents = [
    ...new Set(
      incidents.flatMap(({ kind, subject, members }) => members ?? (kind === "agent" ? [subject] : [])),
    ),
  ];
  const none = incidents.length === 0 ? "Mark some incidents first." : undefined;
  const acknowledge = async () => {
    for (const { id } of open)
      await change("POST", `/incidents/${encodeURIComponent(id)}/acknowledge`, { by: "dashboard" });
    onDone();
  };
  return (
    <div class="bulk" role="group" aria-label="Marked incidents">
      <label class="check">
        <input
          type="checkbox"
          checked={isAll}
          ref={(box) => {
            if (box !== null) box.indeterminate = !isAll && incidents.length > 0;
          }}
          onChange={({ currentTarget: { checked } }) => chooseAll(checked)}
        />
        all
      </label>
      <Act
        does={acknowledge}
        done={`Acknowledged ${open.length}: no more reminders.`}
        cannot={none ?? (open.length === 0 ? "All of them are acknowledged." : undefined)}
      >
        Acknowledge{open.length > 0 && ` ${open.length}`}
      </Act>
      <button type="button" disabled={agents.length === 0} title={none} onClick={() => setSilencing(true)}>
        Silence{agents.length > 0 && ` ${agents.length}`} …
      </button>
      {isSilencing && <SilenceDialog agents={agents} onClose={() => setSilencing(false)} onDone={onDone} />}
    </div>
  );
}
