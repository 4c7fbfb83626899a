import type { Incarnation } from "../../core/beat.ts";
import type { Millis } from "../../core/duration.ts";
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
