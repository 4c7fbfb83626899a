import type { Instant } from "../duration.ts";
import type { Month } from "./period.ts";
import type { Capabilities, TickStatus, Vitals } from "./status.ts";

/** What the roll knows of an agent's month, where there is a store. */
export interface TickActivity {
  readonly beats: number;
  readonly cycles: number;
  readonly crashes: number;
  readonly incidents: number;
  /** The share of the watched time in which it was not down, from 0 to 1; absent if it was never watched. */
  readonly uptime?: number;
}

/** A monthly health report of an agent. */
export interface Tick {
  /** The worse of what it says and what its vitals and capabilities say. */
  readonly status: TickStatus;
  /** Only a tick of an agent that cannot be reached has none. */
  readonly vitals?: Vitals;
  readonly capabilities: Capabilities;
  readonly month?: Month;
  readonly submittedAt?: Instant;
}

/** A tick as it stands in its file. */
export interface TickFile extends Pick<Tick, "status" | "vitals" | "capabilities"> {
  readonly agent: string;
  readonly month: Month;
  readonly submitted_at: string;
  /** Which host measured it, and with what. */
  readonly submitted_by: string;
  readonly activity?: TickActivity;
  /** Why a vital or a capability failed, by its name. */
  readonly problems?: Readonly<Record<string, string>>;
}
