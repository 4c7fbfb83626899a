import { useState } from "preact/hooks";
import { asking, handIn } from "../api/session.ts";
import { useValue } from "../kit/observable.ts";
import { Command } from "./command.tsx";
import { Dialog } from "./dialog.tsx";

export function HowToOpen() {
  return (
    <>
      <p>Run this on the watcher's machine. It opens this page in a browser, signed in.</p>
      <Command text="rollcall open" />
    </>
  );
}

/** Says how to sign in, or takes a token, which goes to the watcher and is not kept here. */
export function SignIn() {
  const done = useValue(asking);
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
      <HowToOpen />
      <p>From another machine, create a token there and paste it here:</p>
      <Command text="rollcall token create --scope admin" />
      <p class="quiet">
        With the scope <code>read</code> you can see everything and change nothing.
      </p>
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
