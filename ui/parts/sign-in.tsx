import { useState } from "preact/hooks";
import { roll } from "../api/live.ts";
import { asking, handIn } from "../api/session.ts";
import { useValue } from "../observable.ts";
import { Command } from "./command.tsx";
import { Dialog } from "./dialog.tsx";

/** Asks for a token when a change needs it, or reading does. The token goes to the watcher and is not kept here. */
export function SignIn() {
  const done = useValue(asking);
  const { watcher } = useValue(roll);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  if (done === undefined) return null;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const token = new FormData(event.currentTarget as HTMLFormElement).get("token");
    setBusy(true);
    const wrong = await handIn(String(token ?? "").trim());
    setBusy(false);
    setProblem(wrong);
    if (wrong === undefined) done(true);
  };
  const close = () => {
    setProblem(undefined);
    done(false);
  };
  return (
    <Dialog title="Sign in" onClose={close}>
      {watcher !== undefined ? (
        <>
          <p>To change something, paste an admin token. One lies in the watcher's home:</p>
          <Command text={`cat ${watcher.home}/token`} />
        </>
      ) : (
        <>
          <p>From another machine you need a token. Make one where the watcher runs, and paste it here:</p>
          <Command text="rollcall token create --scope admin" />
          <p class="quiet">
            A token of scope <code>read</code> shows everything and changes nothing.
          </p>
        </>
      )}
      <form onSubmit={submit}>
        <label for="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="off"
          required
          autofocus
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : "token-problem"}
        />
        {problem !== undefined && (
          <p id="token-problem" class="wrong" role="alert">
            {problem}
          </p>
        )}
        <div class="dialog-buttons">
          <button type="button" onClick={close}>
            Not now
          </button>
          <button type="submit" class="primary" disabled={busy}>
            Sign in
          </button>
        </div>
      </form>
    </Dialog>
  );
}
