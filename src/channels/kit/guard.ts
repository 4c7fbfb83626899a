import type { Receipt } from "../../core/delivery/receipt.ts";
import type { Channel, Dispatch } from "../../ports/channel.ts";
import type { FoundSecret, SecretReader } from "../../system/secret.ts";
import { untilAborted } from "../../system/until-aborted.ts";

const BROKEN_OFF: Receipt = {
  outcome: "retry",
  problem: "stopped before an answer came; the message may have arrived",
};

/**
 * What all channels have in common: nothing is begun after its time, nothing is waited for after it (a file with a secret
 * may hang too), and what nobody thought of is told by its name alone, because the message of an error may hold anything.
 */
export function guarded(kind: string, send: (dispatch: Dispatch) => Promise<Receipt>): Channel {
  return {
    kind,
    async send(dispatch) {
      if (dispatch.abort.aborted) return { outcome: "retry", problem: "stopped before it was sent" };
      try {
        return await untilAborted(send(dispatch), dispatch.abort, BROKEN_OFF);
      } catch (error) {
        const { code, name = "error" } = error as NodeJS.ErrnoException;
        return { outcome: "retry", problem: `${kind} failed unexpectedly (${code ?? name})` };
      }
    },
  };
}

/** The same for a channel whose attempts need a secret: `form` and `what` say how it must look. */
export function guardedBy(
  kind: string,
  secret: SecretReader,
  [form, what]: readonly [form: Pick<RegExp, "test">, what: string],
  send: (dispatch: Dispatch, found: FoundSecret) => Promise<Receipt>,
): Channel {
  return guarded(kind, async (dispatch) => {
    const found = await secret();
    if ("problem" in found) return { outcome: "retry", problem: found.problem };
    if (form.test(found.value)) return await send(dispatch, found);
    return { outcome: "retry", problem: `${found.place} does not contain ${what}` };
  });
}
