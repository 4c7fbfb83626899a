import { muteOf } from "../../core/incident/mute.ts";
import type { Operations } from "../../service/operations.ts";
import type { IncidentView, SilenceView } from "../../views/show.ts";
import { clock, plain } from "./terminal.ts";

/** So many open incidents are asked for at most. */
const MOST = 200;

/** Who takes care of what already: acknowledged incidents, and mutes. */
export interface Handled {
  /** By agent. */
  readonly acknowledged: ReadonlyMap<string, NonNullable<IncidentView["acknowledged"]>>;
  readonly silences: readonly SilenceView[];
}

/** It adds to the roll: what cannot be read is left out. */
export async function readHandled(operations: Operations): Promise<Handled> {
  const filter = { which: "open", kind: "agent" } as const;
  const open = await operations.incidents(filter, { limit: MOST }).then(
    ({ items }) => items,
    () => [],
  );
  const silences = await operations.silences().catch(() => []);
  const acknowledged = open.flatMap(({ subject, acknowledged: by }) =>
    by === null ? [] : [[subject, by] as const],
  );
  return { acknowledged: new Map(acknowledged), silences };
}

/** `acknowledged by anna; muted until 14:05:00`, or nothing. */
export function sayHandled(
  { acknowledged, silences }: Handled,
  agent: { readonly id: string; readonly group: string },
  now: number,
): string {
  const by = acknowledged.get(agent.id)?.by;
  const mute = muteOf(silences, agent, now);
  return [
    ...(by === undefined ? [] : [`acknowledged by ${plain(by)}`]),
    ...(mute === undefined ? [] : [`muted until ${clock(mute.until, now)}`]),
  ].join("; ");
}
