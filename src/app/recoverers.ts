import type { Config } from "../config/load.ts";
import { type Agent, isDeclared } from "../core/agent.ts";
import { type AgentQuestion, askedOf } from "../core/agent-question.ts";
import { MINUTE } from "../core/duration.ts";
import { isOpen } from "../core/incident/incident.ts";
import { askedNow } from "../core/incident/words.ts";
import { quoted } from "../core/quoted.ts";
import type { Ladder } from "../core/recovery/ladder.ts";
import { aimAt } from "../core/recovery/recovery.ts";
import type { Home } from "../home/home.ts";
import { thisProgram } from "../home/program.ts";
import type { Log } from "../ports/log.ts";
import type { Acted, Target } from "../ports/recovery.ts";
import type { Snapshot } from "../ports/store.ts";
import { type Answer, answerTo, questionOf } from "../recoveries/answer/answer.ts";
import { recovererOpener } from "../recoveries/registry.ts";
import type { HandlesView } from "../service/operations.ts";
import { signalSettings } from "../signals/settings.ts";
import { systemClock } from "../system/clock.ts";
import { runProgram } from "../system/exec.ts";
import { incarnationOf } from "../system/proc.ts";
import { tmuxCommand } from "../system/tmux-servers.ts";
import { byHand, handStepsOf, restartEnds } from "../watch/manual-step.ts";
import { Recoverers } from "../watch/recover.ts";
import type { Rounds } from "../watch/rounds.ts";
import type { Watcher } from "../watch/watcher.ts";

interface Parts {
  readonly home: Home;
  /** The config in force. */
  readonly config: () => Config;
  readonly watcher: Watcher;
  readonly rounds: Rounds;
  readonly log: Log;
  /** The recoveries that count. */
  readonly recoveries: Snapshot["recoveries"];
}

/** The recoverers of a watcher, not yet started, and the same steps for a person who asks for one. */
export function recoverersOf({ home, config, watcher, rounds, log, recoveries }: Parts) {
  const { node, script } = thisProgram();
  const { file } = config();
  const open = recovererOpener({
    home: home.path,
    run: runProgram,
    lifeOf: incarnationOf,
    rollcall: [node, script],
    ...(file === undefined ? {} : { configFile: file }),
  });
  const lookAgain = (id: string) => rounds.look(id);
  const ladder = (id: string) => ladderOf(config(), watcher.reader.place(id)?.agent);
  const recoverers = new Recoverers(
    {
      clock: systemClock,
      log,
      persist: (parts) => watcher.persist(parts),
      command: (command) => watcher.command(command),
      incidents: () => watcher.desk.incidents,
      place: (id) => watcher.reader.place(id),
      verdict: (place) => watcher.reader.verdict(place),
      lookAgain,
      ladder,
      telling: () => watcher.telling,
      open,
    },
    { incidents: [...watcher.desk.incidents], recoveries },
  );
  watcher.onCommitted((changes) => recoverers.note(changes));
  /** The agent as it is now, for a person who answers its question. */
  const waiting = async (id: string): Promise<Target | undefined> => {
    await lookAgain(id);
    const place = watcher.reader.place(id);
    if (place === undefined) return undefined;
    const aim = aimAt(watcher.reader.verdict(place), place.entry.observations);
    const order = { key: `${id}:answer:${systemClock.wall()}`, incident: "by-hand", why: "answered by hand" };
    return { ...order, agent: place.agent, aim, memories: place.entry.memories ?? {} };
  };
  const gone = "it is no longer on the roll";
  /** Whether the host of an agent takes its next step if we ask. */
  const canAsk = (id: string) =>
    watcher.reader
      .place(id)
      ?.entry.observations.some((fact) => fact.kind === "verdict" && fact.canStep === true) === true;
  /** Whether the host of an agent told us what it asks. */
  const isAskedThere = (id: string) =>
    [...watcher.desk.incidents].some(
      (each) => each.kind === "agent" && each.subject === id && isOpen(each) && askedNow(each) !== undefined,
    );
  return {
    recoverers,
    async question(id: string) {
      const target = await waiting(id);
      return target === undefined
        ? { why: gone }
        : questionOf(target, runProgram, AbortSignal.timeout(MINUTE));
    },
    /** The question of an agent for a message about it. */
    async asked(id: string, change: number): Promise<AgentQuestion | undefined> {
      const target = await waiting(id);
      const attach = target && attachLine(target.agent);
      if (target === undefined || attach === undefined) return undefined;
      const question = await questionOf(target, runProgram, AbortSignal.timeout(MINUTE));
      return "why" in question ? undefined : askedOf(question, { change, attach });
    },
    async answer(id: string, answer: Answer): Promise<Acted> {
      const target = await waiting(id);
      if (target === undefined) return { outcome: "dropped", why: gone };
      const acted = await answerTo(target, answer, runProgram, AbortSignal.timeout(MINUTE));
      // Whoever answered looks at the roll next: it must not say "waiting" until the next round.
      if (acted.outcome === "done") await lookAgain(id);
      return acted;
    },
    /** What a person can do about an agent of this host. */
    async handles(id: string): Promise<HandlesView> {
      const agent = watcher.reader.place(id)?.agent;
      const attach = agent === undefined || agent.host !== undefined ? undefined : attachLine(agent);
      const steps = ladder(id);
      return {
        ...{ steps: handStepsOf(steps), restartEnds: restartEnds(steps), attach: attach ?? null },
        ...{ byHost: canAsk(id), question: attach !== undefined || isAskedThere(id) },
      };
    },
    canStep: (id: string) => handStepsOf(ladder(id)).some((step) => step !== "wake"),
    takeStep: byHand({ watcher, now: () => systemClock.wall(), lookAgain, ladder, open }),
    prepare: () => () => recoverers.reconsider(),
  };
}

/** The command with which a person on this host reaches the pane of an agent. */
function attachLine({ signals }: Agent): string | undefined {
  const { data } = signalSettings.safeParse(signals);
  if (data?.tmux === undefined) return undefined;
  const { session, target, ...server } = data.tmux;
  return `${tmuxCommand(server)} attach -t ${quoted(session ?? target ?? "")}`;
}

/**
 * The steps for an agent: its own, or the default ones. Who only sent a beat has none, because nobody has said
 * anything about it; nor has the watcher's own agent.
 */
export function ladderOf(
  { agents, defaults }: Pick<Config, "agents" | "defaults">,
  agent: Agent | undefined,
): Ladder {
  if (agent === undefined || agent.origin === "beat" || agent.origin === "host") return [];
  const declared = agents.find(({ id }) => id === agent.id);
  if (declared === undefined && isDeclared(agent)) return [];
  return declared?.recover ?? defaults.recover;
}
