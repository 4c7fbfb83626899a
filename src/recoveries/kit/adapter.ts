import type * as z from "zod";
import type { Step } from "../../core/recovery/ladder.ts";
import type { Recoverer } from "../../ports/recovery.ts";
import type { RecoveryDeps } from "./deps.ts";

type Kind = Step["do"];
type StepOf<K extends Kind> = Extract<Step, { readonly do: K }>;

/** A step of a kind without what all steps have. */
export type BareStep<K extends Kind> = K extends Kind
  ? Omit<StepOf<K>, "when" | "budget" | "backoff">
  : never;

/** What is wrong with a step as a whole, and at which key. */
export interface Mistake {
  readonly path: string;
  readonly message: string;
}

/** One kind of step. */
export interface RecoveryAdapter<K extends Kind, Settings extends z.ZodObject> {
  readonly kind: K;
  /** The keys of its own, as the config writes them. */
  readonly settings: Settings;
  /** What they mean. */
  read(written: z.output<Settings>): BareStep<K> | Mistake;
  open(step: StepOf<K>, deps: RecoveryDeps): Recoverer;
}
