import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { expandTilde } from "../agent/home.ts";
import { ConfigError } from "../config/config-error.ts";
import type { Config } from "../config/load.ts";
import type { CommandName } from "../core/host/command.ts";
import { hostAgent } from "../core/host/fact.ts";
import { severityOf } from "../core/incident/incident.ts";
import { redact } from "../core/redact.ts";
import type { IncidentResponse } from "../features/telling/incident-response.ts";
import { hostName } from "../home/home.ts";
import { hubTokenFile, readHubFile, renameInHubFile } from "../home/hub-file.ts";
import { CommandDesk } from "../link/command-desk.ts";
import { CutOff } from "../link/cut-off.ts";
import { httpHub } from "../link/http-client.ts";
import { HubLink, type LinkState } from "../link/link.ts";
import type { Store } from "../ports/store.ts";
import { systemClock } from "../system/clock.ts";
import { secretReader } from "../system/secret.ts";
import { uuidv7 } from "../system/uuid.ts";
import { VERSION } from "../system/version.ts";
import { Outbox } from "../watch/outbox.ts";
import type { Watcher } from "../watch/watcher.ts";
import { hostDeeds } from "./host-deeds.ts";
import type { ReloadPart } from "./reload.ts";
import type { Starting } from "./take-home.ts";

/** The hub that this host reports to. */
export interface HubTarget {
  readonly url: string;
  readonly host: string;
  readonly tokenFile: string;
  readonly certificate?: string;
  /** It comes and goes: its hub hears when it does. */
  readonly ephemeral: boolean;
}

export function isHub({ options, first }: Pick<Starting, "options" | "first">): boolean {
  return options.hub === true || first.hub.serve;
}

/** The config wins over what `rollcall join` left. A hub reports to nobody. */
export function targetOf(
  { hub, file }: Pick<Config, "hub" | "file">,
  starting: Pick<Starting, "home" | "options" | "first">,
): HubTarget | undefined {
  if (isHub(starting)) return undefined;
  const { home } = starting;
  const joined = readHubFile(home);
  const url = hub.url ?? joined?.url;
  if (url === undefined) return undefined;
  const tokenFile = hub.tokenFile === undefined ? hubTokenFile(home) : expandTilde(hub.tokenFile);
  // A host tells nobody itself: one that is none by mistake would be silent for ever.
  if (!existsSync(tokenFile))
    throw new ConfigError(file ?? home.path, [
      `hub.url: this host has no token for ${url} (there is no ${tokenFile}); join that hub with \`rollcall join\`, or set hub.serve: true if this watcher is the hub`,
    ]);
  const { certificate, kind } = joined?.url === url ? joined : {};
  return {
    url,
    host:
      joined?.host ??
      hostName()
        .replace(/[^A-Za-z0-9_-]/g, "-")
        .slice(0, 40),
    tokenFile,
    ...(certificate === undefined ? {} : { certificate }),
    ephemeral: kind === "ephemeral",
  };
}

/**
 * A host tells nobody itself: its hub does, files issues and checks ticks. What is its own goes on: it submits the ticks of its
 * agents, which it alone can measure.
 */
export function asHost(config: Config): Config {
  const { forge: _, ...others } = config;
  const { escalate: __, ...policy } = config.policy;
  const off = (["issues", "tick-check"] as const).map((name) => ({ name, enabled: false }));
  const named = config.heartbeat.actions.filter(({ name }) => !off.some((each) => each.name === name));
  return {
    ...others,
    policy: { ...policy, tell: [] },
    heartbeat: { ...config.heartbeat, actions: [...named, ...off] },
  };
}

/** How many agents a message about the host names. */
const NAMED = 20;

/** The agents that people would hear of, a line each. */
function inTrouble({ reader }: Watcher): readonly string[] {
  const all = [...reader.places()].flatMap((place) => {
    const { state, why, reason } = reader.verdict(place);
    return severityOf(state, reason) === undefined
      ? []
      : [`${place.agent.name ?? place.agent.id} is ${state}: ${redact(why)}`];
  });
  if (all.length === 0) return ["No agent here is in trouble."];
  const more = all.length - NAMED;
  return [...all.slice(0, NAMED), ...(more > 0 ? [`and ${more} more agents`] : [])];
}

export interface Linked extends ReloadPart {
  state(): (LinkState & { readonly url: string; readonly host: string }) | undefined;
}

/** Reports to a hub while there is one, from the next reload on if it joins later. */
export async function openLink(
  starting: Starting,
  { watcher, store }: { readonly watcher: Watcher; readonly store: Store },
  parts: Parameters<typeof hostDeeds>[1] & { readonly response: Pick<IncidentResponse, "tellOfHost"> },
  config: () => Config,
): Promise<Linked> {
  const { closers, first, log, pidFile } = starting;
  let target: HubTarget | undefined;
  let link: HubLink | undefined;
  const deeds = hostDeeds(watcher, parts);
  const stop = async (bye = false) => {
    const stopped = link;
    link = undefined;
    watcher.outbox = undefined;
    await stopped?.stop(bye);
  };
  const life = uuidv7();
  const begin = async (next: HubTarget): Promise<void> => {
    const outbox = new Outbox(
      hostAgent(hostName()),
      (id) => config().hub.allow.includes("step") && parts.recovering.canStep(id),
    );
    const secret = secretReader({ file: next.tokenFile }, { env: process.env });
    const records = await store.records.page("command", { limit: 1000 });
    const cutOff = new CutOff({
      clock: systemClock,
      settings: () => config().hub.cutOff,
      tell: (to, title, isOver) =>
        parts.response.tellOfHost(to, "cut-off", {
          ...{ title, severity: isOver ? "resolved" : "critical", commands: ["rollcall status"] },
          lines: isOver
            ? []
            : [`The hub ${next.url} sends no alerts about this host.`, ...inTrouble(watcher)],
        }),
    });
    link = new HubLink({
      ...{ host: next.host, version: VERSION, boot: pidFile.record.incarnation.bootId, life },
      ...{ outgoing: store.outgoing, clock: systemClock, log, chance: Math.random, newId: uuidv7 },
      client: httpHub(next, async () => {
        const read = await secret();
        if ("problem" in read) throw new Error(read.problem);
        return read.value;
      }),
      desk: new CommandDesk({
        ...{ host: next.host, clock: systemClock, deeds, records },
        allow: (): readonly CommandName[] => config().hub.allow,
        persist: (parts) => watcher.persist(parts),
      }),
      onRenewed: () => outbox.restart(),
      onRenamed: (host) => {
        target = { ...next, host };
        try {
          renameInHubFile(starting.home, host);
        } catch (error) {
          log.warn({ problem: String(error) }, "hub: cannot keep the new name of this host");
        }
      },
      onState: (state) => cutOff.note(state),
    });
    watcher.outbox = outbox;
    await link.start();
  };
  watcher.onCommitted(({ outgoing = [] }) => {
    if (outgoing.some(({ k }) => k !== "entry")) link?.nudge();
  });
  const put = async (next: HubTarget | undefined): Promise<void> => {
    if (isDeepStrictEqual(next, target)) return;
    await stop();
    target = next;
    if (next !== undefined) await begin(next);
  };
  await put(targetOf(first, starting));
  closers.add(() => stop(target?.ephemeral));
  return {
    state: () =>
      target === undefined || link === undefined
        ? undefined
        : { ...link.state, url: target.url, host: target.host },
    prepare(next) {
      const to = targetOf(next, starting);
      return () => put(to);
    },
  };
}
