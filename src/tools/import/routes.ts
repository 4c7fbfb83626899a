import { formatDuration } from "../../core/duration.ts";

/** Which channels hear of an agent, and after how long. */
export interface Told {
  readonly agent: string;
  /** None: nobody hears of it. */
  readonly to: readonly string[];
  /** In milliseconds; 0 is at once. */
  readonly after?: number;
}

/**
 * The routes of the policy that tell the same people as before. Without a route every channel hears of every agent, so none
 * is written where that is so. The last route is for agents that join later and for the watcher itself.
 */
export function policyFor(
  told: readonly Told[],
  channels: readonly string[],
): { readonly policy?: { readonly tell: readonly object[] } } {
  const isUsual = ({ to, after = 0 }: Told) => after === 0 && to.length === channels.length;
  const routes = told.filter((one) => !isUsual(one)).map((one) => routeOf(one, channels.length));
  return routes.length === 0 ? {} : { policy: { tell: [...routes, { agents: "*" }] } };
}

function routeOf({ agent, to, after = 0 }: Told, all: number): object {
  return {
    agents: agent,
    ...(after === 0 ? {} : { after: formatDuration(after) }),
    ...(to.length === all ? {} : { to }),
  };
}
