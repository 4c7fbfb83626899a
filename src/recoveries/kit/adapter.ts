import type * as z from "zod";
import type { Incarnation } from "../../core/beat.ts";
import type { Millis } from "../../core/duration.ts";
import type { Step } from "../../core/recovery/ladder.ts";
import type { Recoverer } from "../../ports/recovery.ts";
import type { Runner } from "../../system/exec.ts";

/** What the steps need of the world. */
export interface RecoveryDeps {
  /** Where the output of what they start is kept. */
  readonly home: string;
  /** Runs a short program of the system (tmux, systemctl) to its end. */
  readonly run: Runner;
  /** The life that has a pid now. */
  readonly lifeOf: (pid: number) => Incarnation | undefined;
  /** This very program: node and its script. */
  readonly rollcall: readonly [string, ...string[]];
  readonly configFile?: string;
  /** How long a process that is to be replaced may take to end before it is killed. */
  readonly killGrace?: Millis;
}

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
