/** Hubs, or a server, that are wrong in one way. */
export interface HubsMutant {
  readonly name: string;
  /** The server takes every commit. */
  readonly noFence?: true;
  /** The fence is read before the commit, and not written with it. */
  readonly readsTheFence?: true;
  readonly loadsBeforeClaim?: true;
  /** A commit without an answer is sent again, whatever became of it. */
  readonly blindRetry?: true;
  readonly takeOverIs?: "outage" | "reboot";
  /** Numbers of the inbox are drawn before the commit. */
  readonly cursorBySequence?: true;
  readonly leaseOnHubsClock?: true;
  readonly notifyAloneWakes?: true;
  readonly fencedIsBlind?: true;
  /** Silence is judged although the inbox was not heard. */
  readonly judgesUnheard?: true;
  /** What is taken for the owner is answered before it is stored. */
  readonly acksBeforePut?: true;
}

/** The product as it is. */
export const NO_HUBS_MUTANT: HubsMutant = { name: "none" };

/** Every mutant must be found. */
export const HUBS_MUTANTS: readonly HubsMutant[] = [
  { name: "no fence", noFence: true },
  { name: "fence read, not written", readsTheFence: true },
  { name: "load before claim", loadsBeforeClaim: true },
  { name: "blind retry", blindRetry: true },
  { name: "take-over is an outage", takeOverIs: "outage" },
  { name: "take-over is a reboot", takeOverIs: "reboot" },
  { name: "cursor by sequence", cursorBySequence: true },
  { name: "lease on the hub's clock", leaseOnHubsClock: true },
  { name: "NOTIFY alone wakes", notifyAloneWakes: true },
  { name: "fenced told as blind", fencedIsBlind: true },
  { name: "silence judged before the inbox is heard", judgesUnheard: true },
  { name: "ack before the inbox has it", acksBeforePut: true },
];
