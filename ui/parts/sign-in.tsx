import { useState } from "preact/hooks";
import { roll } from "../api/live.ts";
import { asking, handIn } from "../api/session.ts";
import { useValue } from "../observable.ts";
import { Command } from "./command.tsx";
import { Dialog } from "./dialog.tsx";

/** Asks for the token when a change needs it. The token goes to the watcher and is not kept here. */
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
  return (
    <Dialog title="Sign in" onClose={() => done(false)}>
      <p>Looking is free here; changing something needs the token that lies in the watcher's home:</p>
      <Command text={`cat ${watcher?.home ?? "~/.rollcall"}/token`} />
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
          <button type="button" onClick={() => done(false)}>
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
