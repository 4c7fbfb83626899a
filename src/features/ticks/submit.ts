import type { TickSettings } from "../../config/sections/ticks.ts";
import { type Instant, iso } from "../../core/duration.ts";
import { uptime } from "../../core/tick/activity.ts";
import { TickError } from "../../core/tick/error.ts";
import { firstInstant, type Month, monthOf, nextMonth } from "../../core/tick/period.ts";
import type { Registered } from "../../core/tick/registry-input.ts";
import { type HeldState, runningOf, sayHeld, statusOf } from "../../core/tick/status.ts";
import type { TickActivity, TickFile } from "../../core/tick/tick.ts";
import { type Home, hasStore, hostName } from "../../home/home.ts";
import { withStore } from "../../home/store.ts";
import { VERSION } from "../../system/version.ts";
import { writeTick } from "./tick-file.ts";
import { measure } from "./vitals.ts";

export interface Submission {
  readonly agent: Registered;
  readonly month?: Month | undefined;
  readonly ticks: string;
  readonly home: Home;
  readonly settings: TickSettings;
  /** On behalf of an agent that cannot be reached: nothing is measured. */
  readonly offline: boolean;
  /** What the roll says of it; undefined if it is not on the roll. */
  readonly held: HeldState | undefined;
  readonly now: Instant;
  /** The environment of the commands that measure. */
  readonly env: NodeJS.ProcessEnv;
}

export interface Submitted {
  readonly tick: TickFile;
  readonly file: string;
  /** Where the earlier tick of the month is kept. */
  readonly earlier?: string;
}

/** Measures an agent and writes its tick. */
export async function submitTick(submission: Submission): Promise<Submitted> {
  const { agent, ticks, home, settings, held, now, env } = submission;
  const month = submission.month ?? monthOf(now);
  if (firstInstant(month) > now) {
    throw new TickError("bad-month", `${month} has not begun; expected ${monthOf(now)} or an earlier month`);
  }
  const unreached = submission.offline ? {} : outOfReach(held, settings);
  const measured = unreached === undefined ? await measure(agent, settings, held, env) : undefined;
  const activity = await activityOf(home, agent.id, month, now);
  const { vitals, capabilities = {} } = measured ?? {};
  const problems = measured?.problems ?? unreached ?? {};
  const tick: TickFile = {
    agent: agent.id,
    month,
    status: vitals === undefined ? "offline" : statusOf(vitals, capabilities),
    ...(vitals === undefined ? {} : { vitals }),
    capabilities,
    submitted_at: iso(now),
    submitted_by: `rollcall ${VERSION} on ${hostName()}`,
    ...(activity === undefined ? {} : { activity }),
    ...(Object.keys(problems).length === 0 ? {} : { problems }),
  };
  return { tick, ...writeTick(ticks, tick) };
}

/** Why nothing is measured of an agent that is dead, or of which nobody can tell whether it runs. */
function outOfReach(
  held: HeldState | undefined,
  { gateway }: TickSettings,
): Record<string, string> | undefined {
  if (held === undefined) return undefined;
  const running = runningOf(held);
  const isGone = running === "gone" || (running === "unclear" && gateway === undefined);
  return isGone ? { gateway_running: sayHeld(held) } : undefined;
}

/** More than a beat every half minute for a month; what is beyond is not counted. */
const MOST = 100_000;

/** What the store knows of an agent's month so far, or undefined if there is no store to ask. Nothing is written. */
async function activityOf(
  home: Home,
  agent: string,
  month: Month,
  now: Instant,
): Promise<TickActivity | undefined> {
  if (!hasStore(home)) return undefined;
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
