import { useState } from "preact/hooks";
import { muteOf } from "../../src/core/incident/mute.ts";
import { change } from "../api/ask.ts";
import { mayChange } from "../api/session.ts";
import type { AgentView, HandlesAnswer, IncidentView, SilenceView } from "../api/shapes.ts";
import type { HostContact } from "../hosts/contact.ts";
import { useValue } from "../kit/observable.ts";
import { Act } from "../parts/act.tsx";
import { Ago } from "../parts/ago.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SilenceDialog } from "./silence-dialog.tsx";
import { type HandDeed, usefulOf } from "./useful.ts";
import { whyNot } from "./why-not.ts";

interface Props {
  readonly agent: AgentView;
  readonly host: HostContact | undefined;
  readonly incident: IncidentView | undefined;
  readonly silences: readonly SilenceView[];
  readonly steps: HandlesAnswer["steps"];
  readonly restartEnds: HandlesAnswer["restartEnds"];
  readonly byHost: HandlesAnswer["byHost"];
  readonly again: () => void;
}

/** By itself, Rollcall restarts neither; a person may. */
const LOST: Partial<Record<AgentView["state"], string>> = {
  waiting: "It waits for a human. A restart loses its question.",
  limited: "It is at a usage limit. A restart does not lift the limit.",
};

function namedIn({ agents, group }: SilenceView): string {
  if (group === undefined) return agents === "*" ? "all agents" : agents;
  return agents === "*" ? `group ${group}` : `${agents} in group ${group}`;
}

/** What can be done about an agent: only what its config has a step for, and only for those who may. */
export function Buttons({ agent, host, incident, silences, steps, restartEnds, byHost, again }: Props) {
  const [dialog, setDialog] = useState<"silence" | "restart">();
  const may = useValue(mayChange);
  const path = `/agents/${encodeURIComponent(agent.id)}`;
  const post = (wish: string) => async () => {
    await change("POST", `${path}/${wish}`, {});
    again();
  };
  const silence = muteOf(silences, agent, Date.now());
  /** The mute may be one of many agents: then whoever ends it must know. */
  const ofWhom = silence === undefined || silence.agents === agent.id ? "" : ` of ${namedIn(silence)}`;
  const cannot = whyNot(agent, incident);
  const lost = host?.lostSince === undefined ? undefined : "Its host is out of contact.";
  const useful = usefulOf(agent, { incident, steps, byHost });
  const look = (deed: HandDeed, danger = false) => ({
    ...(deed === useful ? { class: "primary" } : {}),
    ...(danger ? { danger } : {}),
  });
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
  const deeds: Readonly<Record<HandDeed, preact.ComponentChildren>> = {
    acknowledge: incident !== undefined && (
      <Act does={acknowledge} done="Acknowledged." cannot={cannot.acknowledge} {...look("acknowledge")}>
        Acknowledge
      </Act>
    ),
    resume: agent.state === "paused" && (
      <Act does={post("resume")} done="Resumed: Rollcall judges it again." cannot={lost} {...look("resume")}>
        Resume
      </Act>
    ),
    wake: steps.includes("wake") && (
      <Act does={post("wake")} done="Woken." cannot={cannot.wake} {...look("wake")}>
        Wake
      </Act>
    ),
    nudge: steps.includes("nudge") && (
      <Act does={post("nudge")} done="Nudged." cannot={cannot.nudge} {...look("nudge")}>
        Nudge
      </Act>
    ),
    restart: steps.includes("restart") && (
      <Act does={async () => setDialog("restart")} cannot={cannot.restart} {...look("restart", true)}>
        Restart …
      </Act>
    ),
    // A hub names no step: which one is next, the host's own config says.
    "next-step": host !== undefined && byHost && (
      <Act
        does={post("next-step")}
        done={`Host ${host.name} took the next step.`}
        cannot={lost}
        {...look("next-step", true)}
      >
        Take the next recovery step
      </Act>
    ),
  };
  const { [useful ?? "acknowledge"]: first } = deeds;
  const others = (Object.keys(deeds) as HandDeed[]).filter((deed) => deed !== (useful ?? "acknowledge"));
  return (
    <div class="buttons" role="group" aria-label={`Actions for ${agent.id}`}>
      {may && (
        <>
          {first}
          {others.map((deed) => deeds[deed])}
          {agent.state !== "paused" && (
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
              End silence{ofWhom}
            </Act>
          )}
        </>
      )}
      {silence !== undefined && (
        <span class="quiet small">
          silenced, ends <Ago at={silence.until} />
          {silence.why !== "" && `: ${silence.why}`}
        </span>
      )}
      {dialog === "silence" && (
        <SilenceDialog agents={[agent.id]} onClose={() => setDialog(undefined)} onDone={again} />
      )}
      {dialog === "restart" && (
        <Dialog title={`Restart ${agent.id}?`} onClose={() => setDialog(undefined)}>
          <p>
            {restartEnds
              ? "Rollcall ends its process if it is still running, and starts it again as the config says. Its work in progress is lost."
              : "Rollcall starts it again as the config says. If its process is still running, Rollcall changes nothing, because the restart step in the config does not have kill: true."}
          </p>
          {LOST[agent.state] !== undefined && <p>{LOST[agent.state]}</p>}
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
