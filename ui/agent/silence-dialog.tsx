import { change } from "../api/ask.ts";
import { Dialog } from "../parts/dialog.tsx";
import { say } from "../parts/notice.tsx";

const LENGTHS = ["30m", "1h", "2h", "8h", "1d", "1w"] as const;

/** Asks for how long and why: a silence without a reason is forgotten. */
export function SilenceDialog(props: { agents: readonly string[]; onClose: () => void; onDone: () => void }) {
  const { agents } = props;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const wish = { for: form.get("for"), why: form.get("why"), by: "dashboard" };
    props.onClose();
    try {
      for (const each of agents) await change("POST", "/silences", { ...wish, agents: each });
      say(`Alerts${agents.length > 1 ? ` of ${agents.length} agents` : ""} muted for ${wish.for}.`);
      props.onDone();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), "problem");
    }
  };
  return (
    <Dialog
      title={`Silence ${agents.length === 1 ? agents[0] : `${agents.length} agents`}`}
      onClose={props.onClose}
    >
      <p>
        This mutes {agents.length === 1 ? "its" : "their"} alerts. Rollcall still judges; anything still wrong
        at the end is sent then.
      </p>
      <form onSubmit={submit}>
        <label for="silence-for">For</label>
        <select id="silence-for" name="for" value="2h">
          {LENGTHS.map((length) => (
            <option key={length}>{length}</option>
          ))}
        </select>
        <label for="silence-why">Why</label>
        <input id="silence-why" name="why" maxLength={200} required />
        <div class="dialog-buttons">
          <button type="button" onClick={props.onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Silence
          </button>
        </div>
      </form>
    </Dialog>
  );
}
