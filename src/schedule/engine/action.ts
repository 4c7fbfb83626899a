import type { Json, Said } from "../../core/action/state.ts";
import type { Instant } from "../../core/duration.ts";
import type { Log } from "../../ports/log.ts";

/** Scheduled work: what another program, or a module named in the config, gives to a scheduler. */
export interface HeartbeatAction<Context = HeartbeatContext> {
  /** Names its state, its history and its messages; it stays the same as long as the action is the same. */
  readonly name: string;
  readonly description: string;
  /** Does the work once. What it throws is recorded as the failure of this run, and of this run alone. */
  execute(context: Context): Promise<HeartbeatResult>;
}

/** What a run found. Nobody hears of it unless it says `shouldNotify`. */
export interface HeartbeatResult {
  readonly shouldNotify: boolean;
  /** What people are told, where they are told. */
  readonly message?: string;
  /** What the history keeps, as JSON; 64-bit integers become text. */
  readonly metadata?: unknown;
  /** There was nothing to work on, for this reason (such as `no-source`): recorded as skipped. */
  readonly skipped?: string;
}

/** What an action works with. The first four are of the program that schedules it, if it brings them. */
export interface HeartbeatContext<
  Gateway = HeartbeatGateway,
  Runtime = HeartbeatRuntime,
  Session = HeartbeatSession,
  Logger = Log,
> {
  readonly gateway: Gateway;
  readonly runtime: Runtime;
  readonly session: Session;
  readonly logger: Logger;
  /** Aborted when the time is over or the scheduler stops; a run that goes on nevertheless is abandoned. */
  readonly abort: AbortSignal;
  /** The instant that this run is for; it begins at or after it. */
  readonly dueAt: Instant;
}

/** The way to people and to the roll. */
export interface HeartbeatGateway {
  /** Sends more than the one message of the result. It goes out together with the result, if the run succeeds. */
  send(text: string): void | Promise<void>;
  /** The agents as they stand now. */
  roll(): Promise<readonly unknown[]>;
}

/** On whose behalf an action works, and what can be done with tasks. */
export interface HeartbeatRuntime {
  readonly agent: { readonly id: string };
  /** None where no task source is configured. */
  readonly tasks?: TaskOperations;
}

export interface TaskOperations<Task = unknown> {
  claimable(abort: AbortSignal): Promise<readonly Task[]>;
  mine(abort: AbortSignal): Promise<readonly Task[]>;
  completedSince(since: Instant, abort: AbortSignal): Promise<readonly Task[]>;
  disputes(abort: AbortSignal): Promise<readonly Task[]>;
}

/** The durable thread of an action: it is written together with the end of the run and with what the run says. */
export interface HeartbeatSession {
  /** What it said in earlier runs, newest last; bounded. */
  readonly said: readonly Said[];
  readonly memory: {
    get(key: string): Json | undefined;
    /** Keeps a copy as JSON for the next run; the changes of a run that fails are forgotten. */
    set(key: string, value: unknown): void;
    delete(key: string): void;
  };
}
