import { Observable } from "../kit/observable.ts";

/** Set while the sign-in dialog is open: what to call when it is over. */
export const asking = new Observable<((done: boolean) => void) | undefined>(undefined);
export const signedIn = new Observable(false);
/** Whether the token of this session may change things. */
export const mayChange = new Observable(false);
/** Grows when somebody signs in or out here: what may be read is then another. */
export const sessions = new Observable(0);

let waiting: Promise<boolean> | undefined;
let declined = false;

/**
 * Opens the dialog, once for all who ask; resolves to whether somebody signed in. What the page reads by itself asks
 * once: a dialog that comes back each time it is closed would be a trap.
 */
export async function signIn(why: "wish" | "read" = "wish"): Promise<boolean> {
  if (why === "read" && declined) return false;
  signedIn.set(false);
  waiting ??= new Promise<boolean>((done) => asking.set(done)).finally(() => {
    waiting = undefined;
    asking.set(undefined);
  });
  const done = await waiting;
  declined = !done;
  return done;
}

/** Hands the token in; the cookie that comes back is out of this page's reach. Returns what is wrong, if anything. */
export async function handIn(token: string): Promise<string | undefined> {
  try {
    const answer = await fetch("/api/v1/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    if (answer.ok) {
      signedIn.set(true);
      sessions.set(sessions.value + 1);
      return undefined;
    }
    if (answer.status === 401) return "This watcher does not know that token.";
    const { detail } = (await answer.json().catch(() => ({}))) as { detail?: unknown };
    return typeof detail === "string"
      ? `The watcher refused it: ${detail}.`
      : `The watcher answered ${answer.status}.`;
  } catch {
    return "The watcher does not answer.";
  }
}

export async function signOut(): Promise<void> {
  await fetch("/api/v1/session", { method: "DELETE" }).catch(() => undefined);
  // A person who has just signed out is not asked to sign in again.
  declined = true;
  signedIn.set(false);
  sessions.set(sessions.value + 1);
}
