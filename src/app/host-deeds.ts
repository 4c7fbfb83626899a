import { setTimeout as afterwards } from "node:timers/promises";
import type { Run } from "../core/action/state.ts";
import { type Millis, SECOND } from "../core/duration.ts";
import { redact } from "../core/redact.ts";
import type { Deed, Deeds } from "../link/command-desk.ts";
import { nextByHand } from "../watch/manual-step.ts";
import type { Watcher } from "../watch/watcher.ts";
import type { Parts } from "./open-parts.ts";

/** A hub hears how a run ended, if it ends this soon. */
const RUN_WAITS: Millis = 30 * SECOND;

function sayRun({ action, outcome, message, reason, problem }: Run): Deed {
  const why = outcome === "done" ? message : (problem ?? reason);
  const says = `${action}: ${outcome}${why === undefined ? "" : `, ${redact(why)}`}`;
  return outcome === "done" || outcome === "skipped" ? { says } : { refused: says };
}

/** What this host does when its hub asks. */
export function hostDeeds(
  watcher: Watcher,
  { observing, recovering, actions }: Pick<Parts, "observing" | "recovering" | "actions">,
): Deeds {
  return {
    async pause(agent) {
      await watcher.pause(agent);
      return { says: `${agent} is paused` };
    },
    async resume(agent) {
      await observing.resume(agent);
      return { says: `${agent} is resumed` };
    },
    async resolve(id, by) {
      await watcher.command({ kind: "resolve", id, by });
      return { says: `${id} is resolved` };
    },
    async look(agent) {
      const refused = { refused: "there is no such agent on this host" };
      if (watcher.reader.place(agent) === undefined) return refused;
      await observing.rounds.look(agent);
      const place = watcher.reader.place(agent);
      if (place === undefined) return refused;
      const { evidence = [] } = watcher.reader.view(place, true);
      return {
        says: `looked at ${agent}`,
        evidence: evidence.map(({ signal, at, says }) => ({ signal, at, says: redact(says) })),
      };
    },
    async peek(agent) {
      const screen = await observing.peek(agent, "screen");
      if (screen === undefined) return { refused: `"${agent}" names no log and no tmux pane` };
      return { says: `the screen of ${agent}`, screen: redact(screen) };
    },
    async answer(agent, _by, { answer }) {
      if (answer === undefined) return { refused: "an answer names the number of a choice and the question" };
      const acted = await recovering.answer(agent, answer);
      if (acted.outcome === "done") return { says: acted.note };
      return { refused: acted.outcome === "failed" ? acted.problem : acted.why };
    },
    async step(agent, _by, { step: wanted }) {
      const next = nextByHand(agent, recovering.recoverers.nextStep(agent));
      if ("why" in next) return { refused: next.why };
      const { step: what } = next;
      if (wanted !== undefined && wanted !== what)
        return { refused: `the next step of "${agent}" is ${what}, not ${wanted}` };
      const acted = await recovering.takeStep(agent, what);
      if (acted.outcome === "done") return { says: acted.note };
      return { refused: acted.outcome === "failed" ? acted.problem : acted.why };
    },
    async run(action) {
      const ended = actions.run(action);
      const first = await Promise.race([ended, afterwards(RUN_WAITS, undefined, { ref: false })]);
      // It goes on: whoever asked does not wait any longer.
      if (first === undefined) ended.catch(() => {});
      return first === undefined ? { says: `${action} was started and still runs` } : sayRun(first);
    },
  };
}
