import { useState } from "preact/hooks";
import { change } from "../api/ask.ts";
import type { AgentView, IncidentView, SilenceView } from "../api/shapes.ts";
import type { HostContact } from "../hosts/contact.ts";
import { Act } from "../parts/act.tsx";
import { Ago } from "../parts/ago.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SilenceDialog } from "./silence-dialog.tsx";
import { whyNot } from "./why-not.ts";

interface Props {
  readonly agent: AgentView;
  readonly host: HostContact | undefined;
  readonly incident: IncidentView | undefined;
  readonly silences: readonly SilenceView[];
  readonly again: () => void;
}

export function Buttons({ agent, host, incident, silences, again }: Props) {
  const [dialog, setDialog] = useState<"silence" | "restart">();
  const path = `/agents/${encodeURIComponent(agent.id)}`;
  const post = (wish: string) => async () => {
    await change("POST", `${path}/${wish}`, {});
    again();
  };
  const silence = silences.find(({ agents }) => agents === agent.id || agents === "*");
  const cannot = whyNot(agent, incident);
  const lost = host?.lostSince === undefined ? undefined : "Its host is out of contact.";
  const acknowledge = async () => {
    await change("POST", `/incidents/${encodeURIComponent(incident?.id ?? "")}/acknowledge`, {
      by: "dashboard",
    });
    again();
  };
  const endSilence = async () => {
    await change("DELETE", `/silences/${encodeURIComponent(silence?.id ?? "")}`);
    again();
  };
  return (
    <div class="buttons" role="group" aria-label={`Actions for ${agent.id}`}>
      <Act does={acknowledge} done="Acknowledged." cannot={cannot.acknowledge}>
        Acknowledge
      </Act>
      {agent.state === "paused" ? (
        <Act does={post("resume")} done="Resumed: Rollcall judges it again." cannot={lost}>
          Resume
        </Act>
      ) : (
        <Act
          does={post("pause")}
          done="Paused: Rollcall does not judge it until you resume it."
          cannot={lost}
        >
          Pause
        </Act>
      )}
      {silence === undefined ? (
        <button type="button" onClick={() => setDialog("silence")}>
          Silence …
        </button>
      ) : (
        <Act does={endSilence} done="The silence has ended; alerts are sent again.">
          End silence
        </Act>
      )}
      <span class="buttons-gap" />
      {host === undefined ? (
        <>
          <Act does={post("wake")} done="Woken." cannot={cannot.wake}>
            Wake
          </Act>
          <Act does={post("nudge")} done="Nudged." cannot={cannot.nudge}>
            Nudge
          </Act>
          <Act does={async () => setDialog("restart")} cannot={cannot.restart} danger>
            Restart …
          </Act>
        </>
      ) : (
        // A hub names no step: which one is next, the host's own config says.
        <Act does={post("next-step")} done={`Host ${host.name} took the next step.`} cannot={lost} danger>
          Take the next recovery step
        </Act>
      )}
      {silence !== undefined && (
        <span class="quiet small">
          silenced, ends <Ago at={silence.until} />
          {silence.why !== "" && `: ${silence.why}`}
        </span>
      )}
      {dialog === "silence" && (
        <SilenceDialog agents={agent.id} onClose={() => setDialog(undefined)} onDone={again} />
      )}
      {dialog === "restart" && (
        <Dialog title={`Restart ${agent.id}?`} onClose={() => setDialog(undefined)}>
          <p>
            Rollcall ends its process if it is still running, and starts it again as the config says. Its work
            in progress is lost.
          </p>
          <div class="dialog-buttons">
            <button type="button" onClick={() => setDialog(undefined)}>
              Cancel
            </button>
            <Act
              does={async () => {
                setDialog(undefined);
                await post("restart")();
              }}
              done="Restart requested; its next sign of life shows whether it worked."
              danger
            >
              Restart
            </Act>
          </div>
        </Dialog>
      )}
    </div>
  );
}
