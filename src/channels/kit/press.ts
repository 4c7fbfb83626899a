import { createHash } from "node:crypto";
import type { ChatDeed } from "../../core/delivery/deed.ts";

/** Chat services keep few bytes with a button: a letter, a mark of the incident, and for an answer which and to what. */
const LETTERS = { acknowledge: "a", silence: "s", nudge: "n", restart: "r" } as const;

/** An incident in few letters. Ids may be long. */
export function markOf(incident: string): string {
  return createHash("sha256").update(incident).digest("base64url").slice(0, 16);
}

export function encodePress(incident: string, deed: ChatDeed): string {
  const mark = markOf(incident);
  return deed.do === "answer" ? `${deed.choice}|${mark}|${deed.fingerprint}` : `${LETTERS[deed.do]}|${mark}`;
}

/** What was pressed; undefined if it is none of ours. */
export function decodePress(data: string): { readonly mark: string; readonly deed: ChatDeed } | undefined {
  const [, what = "", mark = "", fingerprint] =
    /^([asnr1-9])\|([\w-]{16})(?:\|([\w-]{16}))?$/.exec(data) ?? [];
  if (what === "") return undefined;
  if (/\d/.test(what))
    return fingerprint === undefined
      ? undefined
      : { mark, deed: { do: "answer", choice: Number(what), fingerprint } };
  const found = (["acknowledge", "silence", "nudge", "restart"] as const).find(
    (each) => LETTERS[each] === what,
  );
  return found === undefined ? undefined : { mark, deed: { do: found } };
}
