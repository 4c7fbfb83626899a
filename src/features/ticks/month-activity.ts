import { existsSync } from "node:fs";
import type { Instant } from "../../core/duration.ts";
import { uptime } from "../../core/tick/activity.ts";
import { firstInstant, type Month, nextMonth } from "../../core/tick/period.ts";
import type { Activity } from "../../core/tick/tick.ts";
import type { Home } from "../../home/home.ts";
import { withStore } from "../../home/store.ts";

/** More than a beat every half minute for a month; what is beyond is not counted. */
const MOST = 100_000;

/** What the store knows of an agent's month so far, or undefined if there is no store to ask. Nothing is written. */
export async function activityOf(
  home: Home,
  agent: string,
  month: Month,
  now: Instant,
): Promise<Activity | undefined> {
  if (!existsSync(home.database)) return undefined;
  const span = { from: firstInstant(month), to: Math.min(now, firstInstant(nextMonth(month))) };
  const page = { limit: MOST, before: span.to };
  try {
    return await withStore(home, async (store) => {
      const beats = (await store.beats(agent, page)).filter(({ receivedAt }) => receivedAt >= span.from);
      const cycles = (await store.cycles(agent, page)).filter(({ beganAt }) => beganAt >= span.from);
      const flips = await store.flips(agent, page);
      const incidents = await store.incidents.page({ ...page, subject: agent, since: span.from });
      const { entries } = await store.load();
      const standing = entries.find((entry) => entry.agent === agent)?.standing;
      const up = uptime(flips, span, standing?.verdict.state);
      return {
        beats: beats.length,
        cycles: cycles.length,
        crashes: cycles.filter(({ outcome }) => outcome === "crashed").length,
        incidents: incidents.length,
        ...(up === undefined ? {} : { uptime: Math.round(up * 10_000) / 10_000 }),
      };
    });
  } catch {
    // A store that cannot be read now is no reason to miss a tick.
    return undefined;
  }
}
