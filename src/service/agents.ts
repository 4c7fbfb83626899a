import { type Agent, groupOf } from "../core/agent.ts";
import { iso } from "../core/duration.ts";
import { isOpen } from "../core/incident/incident.ts";
import { silencedUntil } from "../core/incident/policy.ts";
import { askedNow } from "../core/incident/words.ts";
import { isNothingToShow } from "../ports/signal.ts";
import { nextByHand } from "../watch/manual-step.ts";
import type { RollPlace } from "../watch/roll-place.ts";
import { actionOf, hostOf } from "../watch/view.ts";
import { askHost } from "./hosts.ts";
import { noSuchAgent, OperationError } from "./operation-error.ts";
import type { AgentWithPing, Operations, QuestionView, RollFilter } from "./operations.ts";
import type { LocalParts, RollSnapshot } from "./parts.ts";
import { firstAfter, slices } from "./slices.ts";

/** After so many agents others get their turn. */
const AT_ONCE = 200;
/** So many agents are found by their ids at a time. */
const IN_ORDER = 1000;

/** The roll, who is on it, and what can be done about one agent. */
export function agentOperations(parts: LocalParts) {
  const { watcher, mustBeOnRoll } = parts;
  const find = async (id: string): Promise<{ reader: RollSnapshot; place: RollPlace }> => {
    const reader = await parts.roll(id);
    const place = reader.place(id);
    if (place === undefined) throw noSuchAgent(id);
    return { reader, place };
  };
  /** The question of an agent of another host, as that host read it when the agent began to wait. Undefined if it is our own. */
  const askedThere = async (id: string): Promise<QuestionView | undefined> => {
    mustBeOnRoll(id);
    const host = (await parts.roll(id)).place(id)?.agent.host;
    if (host === undefined) return undefined;
    const incidents = [...(await parts.desk()).incidents];
    const open = incidents.find((each) => each.kind === "agent" && each.subject === id && isOpen(each));
    const asked = open && askedNow(open);
    if (asked !== undefined) return asked;
    throw new OperationError("step-refused", `host ${host} has read no question of "${id}"`);
  };
  return {
    async roll(filter = {}) {
      const reader = await parts.roll();
      const handledOf = await handledNow(reader, parts);
      return { ...headOf(reader), counts: reader.counts(), agents: agentsOf(reader, filter, handledOf) };
    },
    async agent(id) {
      const reader = await parts.roll(id);
      const place = reader.place(id);
      const host = place?.agent.host;
      // Commands to this agent may follow: then they reach its host at once.
      if (host !== undefined) parts.hub?.()?.hub.commands.watch(host);
      const handledOf = await handledNow(reader, parts);
      return {
        ...headOf(reader),
        agent: place === undefined ? undefined : show(reader, place, true, handledOf),
      };
    },
    async observations(id) {
      const { reader, place } = await find(id);
      // The evidence is on its host, which looks at the agent once more.
      const there = place.agent.origin === "host" ? await askHost(parts, id, "look") : undefined;
      if (there?.evidence !== undefined) return there.evidence;
      return reader.view(place, true).evidence ?? [];
    },
    async rhythm(id) {
      const { reader, place } = await find(id);
      return reader.rhythm(place) ?? { contexts: {}, margin: null };
    },
    async usage(id) {
      // It checks what signals remember with a large library, which no other operation needs.
      const { usageOf } = await import("./agent-usage.ts");
      const shown = (place: RollPlace) => usageOf(place, parts.now());
      if (id !== undefined) return [shown((await find(id)).place)];
      const all = [];
      for await (const some of slices((await parts.roll()).places(), AT_ONCE))
        all.push(...some.filter(tellsUsage).map(shown));
      return all.filter(({ at, session }) => at !== null || session !== null);
    },
    async addAgent(agent, isOwner) {
      const read = await parts.readAgent(agent, isOwner);
      if ("problem" in read) throw new OperationError("bad-agent", read.problem);
      await (await watcher()).add(read.agent);
    },
    removeAgent: async (id) => (await watcher()).remove(id),
    async pauseAgent(id) {
      if ((await askHost(parts, id, "pause")) === undefined) await (await watcher()).pause(id);
    },
    async resumeAgent(id) {
      if ((await askHost(parts, id, "resume")) !== undefined) return;
      if (parts.resume === undefined) await (await watcher()).resume(id);
      else await parts.resume(id);
    },
    async peek(id, how) {
      mustBeOnRoll(id);
      const there = await askHost(parts, id, "peek");
      if (there !== undefined) return there.screen ?? "";
      const shown = await parts.peek(id, how).catch((error: unknown) => {
        if (isNothingToShow(error)) throw new OperationError("not-found", error.message);
        throw error;
      });
      if (shown !== undefined) return shown;
      throw new OperationError("not-found", `agent "${id}" has no log and no tmux pane to show`);
    },
    async handles(id) {
      mustBeOnRoll(id);
      return parts.handles(id);
    },
    async question(id) {
      const asked = (await askedThere(id)) ?? (await parts.question(id));
      if ("why" in asked) throw new OperationError("step-refused", asked.why);
      const { text, choices, fingerprint } = asked;
      return { text, choices: choices.map(({ number, label }) => ({ number, label })), fingerprint };
    },
    async answer(id, { choice, text, fingerprint }, isOwner) {
      const there = await askedThere(id);
      if ((choice === undefined) === (text === undefined))
        throw new OperationError("step-refused", "expected either choice or text");
      if (text !== undefined && !isOwner)
        throw new OperationError(
          "step-refused",
          "text is typed for the owner on this host only; name a choice by its number",
        );
      if (text !== undefined && !/^\P{Cc}{1,500}$/u.test(text))
        throw new OperationError("step-refused", "expected one line of at most 500 characters");
      if (there !== undefined) {
        if (choice === undefined)
          throw new OperationError(
            "step-refused",
            "an agent of another host is answered by the number of a choice only",
          );
        return (
          (await askHost(parts, id, "answer", undefined, { answer: { choice, fingerprint } }))?.says ?? ""
        );
      }
      const wish = choice === undefined ? { fingerprint, text: text ?? "" } : { fingerprint, choice };
      const acted = await parts.answer(id, wish);
      if (acted.outcome === "done") return acted.note;
      throw new OperationError("step-refused", acted.outcome === "failed" ? acted.problem : acted.why);
    },
    async takeStep(id, step) {
      mustBeOnRoll(id);
      const host = (await parts.roll(id)).place(id)?.agent.host;
      if (host !== undefined && step === "wake")
        throw new OperationError("step-refused", `"${id}" can be woken on its own host only (${host})`);
      // Which step is next, the host decides: the request names none.
      const named = step === "nudge" || step === "restart" ? { step } : {};
      const there = step === "wake" ? undefined : await askHost(parts, id, "step", undefined, named);
      if (there !== undefined) return there.says;
      const next = step === "next-step" ? nextByHand(id, parts.nextStep(id)) : { step };
      if ("why" in next) throw new OperationError("step-refused", next.why);
      const acted = await parts.takeStep(id, next.step);
      if (acted.outcome === "done") return acted.note;
      throw new OperationError("step-refused", acted.outcome === "failed" ? acted.problem : acted.why);
    },
  } satisfies Partial<Operations>;
}

function headOf({ watcher, configError }: RollSnapshot): Pick<RollSnapshot, "watcher" | "configError"> {
  return { watcher, ...(configError === undefined ? {} : { configError }) };
}

type HandledOf = (agent: Agent) => Pick<AgentWithPing, "acknowledgedBy" | "mutedUntil">;

/** Who takes care of an agent already. Without a watcher no alerts are sent, so it makes no difference then. */
async function handledNow({ watcher }: RollSnapshot, { desk, now }: LocalParts): Promise<HandledOf> {
  if (watcher.running !== true) return () => ({});
  const { incidents, silences } = await desk();
  const mutes = [...silences];
  const acknowledged = new Map<string, string>();
  for (const incident of incidents) {
    const { kind, subject, acknowledged: by } = incident;
    if (kind === "agent" && by !== undefined && isOpen(incident)) acknowledged.set(subject, by.by);
  }
  return (agent) => {
    const acknowledgedBy = acknowledged.get(agent.id);
    const until = silencedUntil(mutes, agent.id, now(), groupOf(agent));
    return {
      ...(acknowledgedBy === undefined ? {} : { acknowledgedBy }),
      ...(until === undefined ? {} : { mutedUntil: iso(until) }),
    };
  };
}

function show(reader: RollSnapshot, place: RollPlace, detail: boolean, handledOf: HandledOf): AgentWithPing {
  const view = { ...reader.view(place, detail), ...handledOf(place.agent) };
  // Made when it is read: `rollcall status` does not show it, and its hash is the only reason to load Node's cryptography.
  return {
    ...view,
    get pingUuid() {
      return reader.pingUuid(place.agent.id);
    },
  };
}

async function* agentsOf(
  reader: RollSnapshot,
  filter: RollFilter,
  handledOf: HandledOf,
): AsyncGenerator<AgentWithPing> {
  for await (const places of placesOf(reader, filter)) {
    for await (const some of slices(places, AT_ONCE)) {
      for (const place of some) yield show(reader, place, false, handledOf);
    }
  }
}

/** The places that fit, in the order of their ids if a page of them is asked for. */
async function* placesOf(reader: RollSnapshot, filter: RollFilter): AsyncGenerator<readonly RollPlace[]> {
  let { after } = filter;
  const sought = { ...filter, text: filter.text?.toLowerCase() };
  const passes = (place: RollPlace) => fits(place, sought);
  if (after === undefined)
    for await (const some of slices(reader.places(), IN_ORDER)) yield some.filter(passes);
  while (after !== undefined) {
    const some: readonly RollPlace[] = await firstAfter(reader.places(), after, IN_ORDER, passes);
    yield some;
    after = some.length < IN_ORDER ? undefined : some.at(-1)?.agent.id;
  }
}

/** Whether a place passes a filter, without showing it, which takes longer. */
function fits(place: RollPlace, { states, group, host, text }: RollFilter): boolean {
  const { agent, entry } = place;
  const { verdict } = entry.standing;
  if (states !== undefined && !states.includes(verdict.state)) return false;
  if (group !== undefined && groupOf(agent) !== group) return false;
  if (host !== undefined && hostOf(place) !== host) return false;
  if (text === undefined) return true;
  const texts = [agent.id, agent.name, verdict.why, actionOf(place), entry.lastBeat?.message];
  return texts.some((each) => each?.toLowerCase().includes(text) === true);
}

/** Whether its hooks or its transcript may tell what it used. */
function tellsUsage({ entry: { memories = {} } }: RollPlace): boolean {
  return memories.hook !== undefined || memories.transcript !== undefined;
}
