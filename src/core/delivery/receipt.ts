import type { Millis } from "../duration.ts";

/** How an attempt went. */
export type Receipt =
  /** `ref`: how the far side calls the message, where it can be changed later. */
  | { readonly outcome: "sent"; readonly note?: string; readonly ref?: string }
  /** It may go better later; `after` is what the far side asked for. */
  | { readonly outcome: "retry"; readonly problem: string; readonly after?: Millis }
  /** It will not go better by itself. */
  | { readonly outcome: "refused"; readonly problem: string };
