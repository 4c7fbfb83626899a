import type { Config } from "../../config/load.ts";
import { BUILT_IN } from "../../config/sections/actions.ts";
import { DAY, HOUR, sayDuration } from "../../core/duration.ts";
import { digestOf } from "../../core/incident/digest.ts";
import { forgeFromEnvironment } from "../../forges/settings.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import type { HeartbeatAction } from "../../schedule/engine/action.ts";
import { ActionError } from "../../schedule/engine/options.ts";
import type { Watcher } from "../../watch/watcher.ts";
import { ourForge, rcaTemplate } from "../forge/forge.ts";
import { IssueDesk } from "../issues/issue-desk.ts";
import { HandedOverIssues, PendingIssues } from "../issues/marked-files.ts";
import { placesOf } from "../telling/routing.ts";
import { checkAndReport, healthyTick, placesBeside, submitAll, type TickPlaces } from "../ticks/scheduled.ts";

/** The parts of the daemon that its own actions work with; whoever only lists actions has none. */
export interface Own {
  readonly watcher: Watcher;
  readonly store: Store;
  readonly home: string;
  readonly clock: Pick<Clock, "wall">;
}

export type OwnName = "tick-submit" | "tick-check" | "issues" | "digest";

/** Whether the config gives an action of ours something to do. */
export function hasUse(name: OwnName, { forge, tick }: Config, env = process.env): boolean {
  // Nobody gets one who did not ask for it.
  if (name === "digest") return false;
  if (name !== "issues") return tick.ticks !== undefined;
  return forge !== undefined || forgeFromEnvironment(env) !== undefined;
}

const DESCRIPTIONS: Readonly<Record<OwnName, string>> = {
  "tick-submit": "submits the monthly ticks of the agents of this host",
  "tick-check": "checks the monthly ticks of all agents, and files an issue for each that failed",
  issues: "files root-cause issues for incidents, and follows them up",
  digest: "tells in the morning which agents needed attention at night",
};

export function ownAction(name: OwnName, config: Config, own: Own | undefined): HeartbeatAction {
  return { name, description: DESCRIPTIONS[name], execute: execution(name, config, own) };
}

function execution(name: OwnName, config: Config, own: Own | undefined): HeartbeatAction["execute"] {
  if (own === undefined)
    return () => Promise.reject(new ActionError("bad-action", `${name} runs in the daemon`));
  if (name === "digest") return digest(config, own);
  const places = placesBeside(config, own.home);
  const desk = deskOf(config, places, own);
  if (name === "issues") return issues(desk);
  if (places === undefined) {
    const needs = `${name} needs tick.registry and tick.ticks in the config`;
    return () => Promise.reject(new ActionError("bad-action", needs));
  }
  const at = { ...places, home: own.home, now: () => own.clock.wall() };
  const heldOf = (agent: string) => own.watcher.reader.place(agent)?.entry.standing.verdict;
  return name === "tick-submit"
    ? () => submitAll(config, at, heldOf)
    : () => checkAndReport(config, at, desk);
}

/**
 * A minute in which nothing was due is skipped, and such minutes are one entry of the history. The first one after a
 * failure, or after a start, is not: it tells that all is well again.
 */
function issues(desk: IssueDesk): HeartbeatAction["execute"] {
  let wasWell = false;
  return async ({ abort }) => {
    const before = wasWell;
    wasWell = false;
    const metadata = await desk.run(abort);
    wasWell = true;
    const idle = before && metadata.filed + metadata.followed === 0;
    return { shouldNotify: false, metadata, ...(idle ? { skipped: "nothing-due" } : {}) };
  };
}

/** More incidents than this in a night are counted as this many. */
const MOST_INCIDENTS = 5000;

function digest({ heartbeat }: Config, { store, clock }: Own): HeartbeatAction["execute"] {
  const { config = {} } = heartbeat.actions.find(({ name }) => name === "digest") ?? {};
  const { hours = 12, always = false } = BUILT_IN.digest.parse(config);
  return async () => {
    const now = clock.wall();
    const from = now - hours * HOUR;
    const page = { limit: MOST_INCIDENTS };
    const recent = await store.incidents.page({ ...page, since: from - 30 * DAY });
    const said = digestOf(recent, from, now);
    if (said !== undefined) return { shouldNotify: true, message: said };
    return always
      ? { shouldNotify: true, message: `No agent needed attention in the last ${sayDuration(now - from)}` }
      : { shouldNotify: false };
  };
}

function deskOf(
  config: Config,
  places: TickPlaces | undefined,
  { watcher, store, home, clock }: Own,
): IssueDesk {
  const { forge } = config;
  return new IssueDesk({
    ...{ watcher, store },
    forge: () => ourForge(config),
    pending: new PendingIssues(home),
    handedOver: new HandedOverIssues(home),
    policy: forge?.incidents,
    template: () => rcaTemplate(config),
    now: () => clock.wall(),
    closeOnRecovery: forge?.closeOnRecovery ?? false,
    escalateTo: forge?.escalateTo ?? placesOf(config),
    healthyTick: (agent, month, now, ticks = places?.ticks) =>
      ticks === undefined ? undefined : healthyTick({ ticks }, agent, month, now),
  });
}
