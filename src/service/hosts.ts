import { MINUTE, type Millis, parseDuration, sayAgo } from "../core/duration.ts";
import type { CommandDetail, CommandName, CommandResult } from "../core/host/command.ts";
import { HOST_NAME, hostAgent, hubName } from "../core/host/fact.ts";
import { HOST_KINDS, type HostKind } from "../core/host-kind.ts";
import type { State } from "../core/liveness/state.ts";
import { type HostView, showHost } from "../views/host.ts";
import type { HubParts } from "./hub-parts.ts";
import { OperationError } from "./operation-error.ts";
import type { Operations } from "./operations.ts";
import type { LocalParts } from "./parts.ts";

const DEFAULT_TTL: Millis = 15 * MINUTE;
const FLEET_LASTS: Millis = 365 * 24 * 60 * MINUTE;

/** The hosts of a hub. */
export function hostOperations(parts: LocalParts) {
  const theHub = (): HubParts => {
    const hub = parts.hub?.();
    if (hub !== undefined) return hub;
    throw new OperationError("not-a-hub", "this watcher is not a hub; start one with `rollcall up --hub`");
  };
  return {
    async hosts() {
      const { hub } = theHub();
      const reader = await parts.roll();
      const counts = new Map<string, Partial<Record<State, number>>>();
      for (const { agent, entry } of reader.places()) {
        if (agent.host === undefined) continue;
        const { state } = entry.standing.verdict;
        const count = counts.get(agent.host) ?? {};
        count[state] = (count[state] ?? 0) + 1;
        counts.set(agent.host, count);
      }
      const views: HostView[] = [...hub.hosts].map((host) => {
        const place = reader.place(hostAgent(host.name));
        const standing = place && {
          state: place.entry.standing.verdict.state,
          why: reader.view(place, false).why,
          heardAt: hub.heardAt(host.name) ?? lastBeatOf(place.entry.observations),
        };
        return showHost(host, standing, counts.get(host.name) ?? {});
      });
      return views.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async inviteHost(wanted) {
      const { hub, enrolment, url } = theHub();
      const { name, kind = wanted.ttl === undefined ? "server" : "ephemeral" } = wanted;
      if (!HOST_NAME.test(name))
        throw new OperationError(
          "bad-host",
          `"${name}" is no name for a host: letters, digits, - and _, at most 40`,
        );
      if (!(HOST_KINDS as readonly string[]).includes(kind))
        throw new OperationError("bad-host", `"${kind}" is no kind of host: ${HOST_KINDS.join(", ")}`);
      const isFleet = kind === "ephemeral";
      if (!isFleet && hub.isOwnName(name))
        throw new OperationError(
          "bad-host",
          `the hub itself is called "${name}"; choose another name for the host`,
        );
      const ttl = wanted.ttl === undefined ? DEFAULT_TTL : parseDuration(wanted.ttl);
      if (ttl === undefined || ttl <= 0)
        throw new OperationError("bad-host", `"${wanted.ttl}" is no duration such as 15m`);
      const { code, invite } = await enrolment.invite({
        ...{ name, kind: kind as HostKind },
        ...(isFleet ? { fleet: { group: name, ttl }, lasts: FLEET_LASTS } : {}),
      });
      return { url: url(), code, name, kind, expiresAt: new Date(invite.expiresAt).toISOString() };
    },
    async revokeHost(name) {
      if (await theHub().enrolment.revoke(name)) return;
      throw new OperationError("no-such-host", `there is no host "${name}", nor a key of that name`);
    },
    async renameHost(name, to) {
      const { enrolment } = theHub();
      if (!HOST_NAME.test(to))
        throw new OperationError(
          "bad-host",
          `"${to}" is no name for a host: letters, digits, - and _, at most 40`,
        );
      const problem = await enrolment.rename(name, to);
      if (problem !== undefined) throw new OperationError(problem.code, problem.says);
    },
  } satisfies Partial<Operations>;
}

function lastBeatOf(facts: readonly { readonly kind: string; readonly at: number }[]): number | undefined {
  return facts.findLast(({ kind }) => kind === "beat")?.at;
}

/** Asks the host of an agent for something. Undefined if the agent is our own. */
export async function askHost(
  parts: Pick<LocalParts, "hub" | "roll" | "now">,
  id: string,
  name: CommandName,
  by = "operator",
  detail?: CommandDetail,
): Promise<CommandResult | undefined> {
  const host = (await parts.roll(id)).place(id)?.agent.host;
  return host === undefined ? undefined : askAbout(parts, host, id, name, by, detail);
}

/** Asks a host for something about what this hub calls by an id of its own. */
export async function askAbout(
  parts: Pick<LocalParts, "hub" | "roll" | "now">,
  host: string,
  id: string,
  name: CommandName,
  by: string,
  detail?: CommandDetail,
): Promise<CommandResult> {
  const hub = parts.hub?.();
  if (hub === undefined) throw new OperationError("not-a-hub", `"${id}" is of host ${host}; ask its hub`);
  const entry = (await parts.roll(hostAgent(host))).place(hostAgent(host))?.entry;
  if (entry?.standing.verdict.reason === "host-out-of-contact") {
    const heardAt = hub.hub.heardAt(host) ?? lastBeatOf(entry.observations);
    const heard =
      heardAt === undefined ? "" : `; it was last heard ${sayAgo(Math.max(0, parts.now() - heardAt))}`;
    throw new OperationError(
      "host-did-not",
      `host ${host} is out of contact${heard}. It can be asked when it is back`,
    );
  }
  const target = id.slice(0, -hubName("", host).length);
  hub.hub.commands.watch(host);
  const result = await hub.hub.ask(host, name, target, by, undefined, detail);
  if (result.end === "done") return result;
  if (result.end === "expired")
    throw new OperationError(
      "host-did-not",
      `host ${host} did not do it in time; \`rollcall hosts list\` shows when it was last heard`,
    );
  const code = name === "peek" && result.end === "refused" ? "not-found" : "host-did-not";
  throw new OperationError(code, `host ${host}: ${result.says}`);
}
