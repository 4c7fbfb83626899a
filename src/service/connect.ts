import { configText } from "../config/find.ts";
import { SECOND } from "../core/duration.ts";
import { type Home, homeAt } from "../home/home.ts";
import { runningWatcher } from "../home/running-watcher.ts";
import { change } from "./change.ts";
import { OperationError } from "./operation-error.ts";
import type { OneAgent, Operations, WholeRoll } from "./operations.ts";
import { isChangedSince } from "./unread-config.ts";

/** The home and the config file, as a command names them. */
export interface Where {
  readonly home?: string;
  readonly config?: string;
}

type Use<T> = (operations: Operations) => Promise<T>;

/** The address of a watcher that let us wait in vain, and until when the files are read instead of asking it again. */
const silent = new Map<string, number>();
const SILENT_FOR = 10 * SECOND;

/**
 * The operations for a command: through the watcher if one runs, else on the home itself. A change waits for a watcher
 * that starts or stops, and holds the home's lock while it writes; reading needs no lock. Only the code for the way
 * that is taken is loaded.
 */
export function operationsOf(where: Where): Operations {
  const home = homeAt(where.home);
  // A watcher that runs has read its own config, but a mistyped name is a mistake all the same.
  if (where.config !== undefined) configText(where.config);
  const remote = async (url: string) => (await import("./remote.ts")).remoteOperations(home, url);
  const fromWatcher = async <T>(url: string, use: Use<T>): Promise<T> => {
    try {
      return await use(await remote(url));
    } catch (error) {
      if (error instanceof OperationError && error.code === "no-answer")
        silent.set(url, performance.now() + SILENT_FOR);
      throw error;
    }
  };
  const isSilent = (url: string) => (silent.get(url) ?? 0) > performance.now();
  const readOffline = async <T>(use: Use<T>): Promise<T> =>
    (await import("./offline.ts")).readOffline(where, use);
  const read = async <T>(use: Use<T>): Promise<T> => {
    const url = runningWatcher(home)?.url;
    return url === undefined || isSilent(url) ? readOffline(use) : fromWatcher(url, use);
  };
  const write = <T>(use: Use<T>): Promise<T> =>
    change(home, {
      ask: async (url) => use(await remote(url)),
      write: async (writer) => (await import("./offline.ts")).writeOffline(where, writer, use),
    });

  /** If the watcher does not answer, the files do. They also may know an agent that the watcher does not. */
  const call = async <T extends WholeRoll | OneAgent>(use: Use<T>): Promise<T> => {
    const url = runningWatcher(home)?.url;
    let problem: string | null = null;
    let asked: T | undefined;
    try {
      asked = url === undefined ? undefined : await fromWatcher(url, use);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    if (asked !== undefined && !isNobody(asked)) return { ...asked, ...(await mistakeIn(home, asked)) };
    const answer = await readOffline(use);
    if (asked === undefined) return { ...answer, watcher: { ...answer.watcher, problem } };
    if ("agent" in answer && answer.agent?.origin === "config") throw notInForce(answer.agent.id);
    return { ...answer, watcher: asked.watcher };
  };

  return {
    roll: (filter) => call((to) => to.roll(filter)),
    agent: (id) => call((to) => to.agent(id)),
    observations: (id) => read((to) => to.observations(id)),
    rhythm: (id) => read((to) => to.rhythm(id)),
    usage: (agent) => read((to) => to.usage(agent)),
    addAgent: (agent, isOwner) => write((to) => to.addAgent(agent, isOwner)),
    removeAgent: (id) => write((to) => to.removeAgent(id)),
    pauseAgent: (id) => write((to) => to.pauseAgent(id)),
    resumeAgent: (id) => write((to) => to.resumeAgent(id)),
    peek: (agent, how) => read((to) => to.peek(agent, how)),
    history: (kind, agent, wanted) => read((to) => to.history(kind, agent, wanted)),
    nextStep: (agent) => read((to) => to.nextStep(agent)),
    handles: (agent) => read((to) => to.handles(agent)),
    question: (agent) => read((to) => to.question(agent)),
    answer: (agent, answer, isOwner) => write((to) => to.answer(agent, answer, isOwner)),
    takeStep: (agent, step) => write((to) => to.takeStep(agent, step)),
    incidents: (filter, wanted) => read((to) => to.incidents(filter, wanted)),
    incidentCounts: () => read((to) => to.incidentCounts()),
    incident: (id) => read((to) => to.incident(id)),
    acknowledge: (id, by) => write((to) => to.acknowledge(id, by)),
    resolve: (id, by) => write((to) => to.resolve(id, by)),
    silences: () => read((to) => to.silences()),
    addSilence: (silence) => write((to) => to.addSilence(silence)),
    endSilence: (id) => write((to) => to.endSilence(id)),
    deliveries: (filter, wanted) => read((to) => to.deliveries(filter, wanted)),
    retryDelivery: (key) => write((to) => to.retryDelivery(key)),
    actions: () => read((to) => to.actions()),
    nextRuns: (action, count) => read((to) => to.nextRuns(action, count)),
    runs: (action, wanted) => read((to) => to.runs(action, wanted)),
    runAction: (action) => write((to) => to.runAction(action)),
    enableAction: (action, enabled) => write((to) => to.enableAction(action, enabled)),
    tokens: () => read((to) => to.tokens()),
    createToken: (wish) => write((to) => to.createToken(wish)),
    revokeToken: (id) => write((to) => to.revokeToken(id)),
    hosts: () => read((to) => to.hosts()),
    inviteHost: (wish) => write((to) => to.inviteHost(wish)),
    revokeHost: (name) => write((to) => to.revokeHost(name)),
    renameHost: (name, to) => write((operations) => operations.renameHost(name, to)),
    audit: (wanted) => read((to) => to.audit(wanted)),
  };
}

function isNobody(answer: WholeRoll | OneAgent): boolean {
  return "agent" in answer && answer.agent === undefined;
}

function notInForce(id: string): OperationError {
  const why =
    "the config file declares it, but the watcher has not read the file since; run: rollcall daemon reload";
  return new OperationError("no-such-agent", `there is no agent "${id}"; ${why}`);
}

/** What is wrong with the config file, if it changed since the watcher read it: an unchanged file is not even opened. */
async function mistakeIn(
  home: Home,
  { watcher: { configFile, configLoadedAt } }: Pick<WholeRoll, "watcher">,
): Promise<Pick<WholeRoll, "configError">> {
  if (typeof configFile !== "string" || !isChangedSince(configFile, String(configLoadedAt))) return {};
  try {
    const { loadConfig } = await import("../config/load.ts");
    await loadConfig(home.path, configFile, undefined, true);
    return {};
  } catch (error) {
    return { configError: error instanceof Error ? error.message : String(error) };
  }
}
