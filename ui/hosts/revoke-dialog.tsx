import { change } from "../api/ask.ts";
import { mayChange, signedIn } from "../api/session.ts";
import { useValue } from "../kit/observable.ts";
import { Act } from "../parts/act.tsx";
import { Dialog } from "../parts/dialog.tsx";

/** Asks before a host is sent away: it cannot come back without a new invitation. */
export function RevokeDialog(props: { host: string; onClose: () => void; onDone: () => void }) {
  const { host, onClose, onDone } = props;
  const refused = useValue(signedIn) && !useValue(mayChange);
  return (
    <Dialog title={`Revoke ${host}?`} onClose={onClose}>
      <p>
        Its token stops working, and its agents leave this roll. They keep running, and {host} keeps watching
        them. To bring it back, invite it again.
      </p>
      {refused && <p class="wrong">Your token may read only. Sign in with a token of the scope admin.</p>}
      <div class="dialog-buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <Act
          does={async () => {
            onClose();
            await change("DELETE", `/hosts/${encodeURIComponent(host)}`);
            onDone();
          }}
          done={`${host} is revoked.`}
          cannot={refused ? "Your token may read only." : undefined}
          danger
        >
          Revoke
        </Act>
      </div>
    </Dialog>
  );
}
