import type { Receipt } from "../core/delivery/receipt.ts";
import type { Channel, Dispatch } from "../ports/channel.ts";

export const BROKEN_OFF: Receipt = {
  outcome: "retry",
  problem: "broken off before there was an answer; it may have arrived",
};

/**
 * What all channels have in common: nothing is begun after its time, and what nobody thought of is told by its name
 * alone, because the message of an error may hold anything.
 */
export function guarded(kind: string, send: (dispatch: Dispatch) => Promise<Receipt>): Channel {
  return {
    kind,
    async send(dispatch) {
      if (dispatch.abort.aborted) return { outcome: "retry", problem: "broken off before it was sent" };
      try {
        return await send(dispatch);
      } catch (error) {
        if (dispatch.abort.aborted) return BROKEN_OFF;
        const { code, name = "error" } = error as NodeJS.ErrnoException;
        return { outcome: "retry", problem: `${kind} failed unexpectedly (${code ?? name})` };
      }
    },
  };
}
