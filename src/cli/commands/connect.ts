import { delimiter, join } from "node:path";
import { Command } from "commander";
import { listenAddress } from "../../config/listen.ts";
import { loadConfig } from "../../config/load.ts";
import { sayAgo } from "../../core/duration.ts";
import { given } from "../../core/given.ts";
import { HOOK_CLIENTS, type HookClient, isHookClient } from "../../core/hook/event.ts";
import { nearest } from "../../core/nearest.ts";
import { homeAt } from "../../home/home.ts";
import { runningWatcher } from "../../home/running-watcher.ts";
import { operationsOf } from "../../service/connect.ts";
import { canRun } from "../../tools/connect/clients.ts";
import { type ClientStanding, Connections } from "../../tools/connect/connect.ts";
import type { WatcherInfo } from "../../views/show.ts";
import { examples } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import type { CommonOptions } from "../output/roll.ts";
import { dim, plain, say, sayJson, sayList } from "../output/terminal.ts";

interface ConnectOptions extends CommonOptions {
  readonly all?: true;
  readonly status?: true;
}

/** What became of one client. */
interface Outcome {
  readonly client: HookClient;
  readonly file: string;
  readonly done: string;
  readonly problem?: string;
  readonly todo?: string;
}

export function connectCommand(): Command {
  return new Command("connect")
    .description("add hooks to the settings of coding agents, so that they report to Rollcall what they do")
    .argument("[clients...]", `the coding agents to connect: ${HOOK_CLIENTS.join(", ")}`)
    .option("--all", "connect every coding agent that is installed for this user")
    .option("--status", "show which coding agents are connected, and when each last reported")
    .option("--json", "print JSON: {clients}")
    .addHelpText(
      "after",
      `
Without arguments, this lists the coding agents that Rollcall knows, whether
each is installed and connected, and the settings file that it would change.
It changes nothing.
${examples("connect", "connect claude-code codex", "connect --status")}`,
    )
    .action(async (names: string[], options: ConnectOptions) => {
      const connections = new Connections(homeAt(options.home).path, process.env);
      if (names.length === 0 && options.all !== true) return list(connections, options);
      const clients = names.length > 0 ? names.map(clientNamed) : present(connections);
      if (clients.length === 0)
        throw new Failure("none of the clients that Rollcall knows is installed for you");
      tell(options, await connectClients(connections, clients, options));
    });
}

/** Connects clients; one that cannot be connected does not keep out the others. */
export async function connectClients(
  connections: Connections,
  clients: readonly HookClient[],
  options: ConnectOptions,
): Promise<readonly Outcome[]> {
  await prepare(connections, options);
  return clients.map((client) => attempt(connections, client, () => connected(connections, client)));
}

export function disconnectCommand(): Command {
  return new Command("disconnect")
    .description("remove the hooks that connect wrote; nothing else in the files changes")
    .argument("[clients...]", "the coding agents to disconnect (default: all that are connected)")
    .option("--json", "print JSON: {clients}")
    .addHelpText("after", examples("disconnect", "disconnect codex"))
    .action(async (names: string[], options: ConnectOptions) => {
      const connections = new Connections(homeAt(options.home).path, process.env);
      const clients =
        names.length > 0
          ? names.map(clientNamed)
          : connections
              .standings()
              .filter(({ state, wasConnected }) => state === "connected" || wasConnected)
              .map(({ client }) => client);
      const outcomes = clients.map((client) =>
        attempt(connections, client, () => {
          const { file, how } = connections.disconnect(client);
          return { client, file, done: how };
        }),
      );
      const token = connections.clear();
      // A token that is gone already is what we want.
      if (token !== undefined)
        await operationsOf(options)
          .revokeToken(token)
          .catch(() => {});
      tell(options, outcomes);
    });
}

function clientNamed(name: string): HookClient {
  if (isHookClient(name)) return name;
  const near = nearest(name, HOOK_CLIENTS);
  const help = near === undefined ? `one of ${HOOK_CLIENTS.join(", ")}` : `did you mean "${near}"?`;
  throw new Failure(`there is no client ${JSON.stringify(name)}; ${help}`, 2);
}

function present(connections: Connections): readonly HookClient[] {
  return connections
    .standings()
    .filter(({ isThere }) => isThere)
    .map(({ client }) => client);
}

/** Makes the script that the clients call, and the token that it shows; what is there already stays. */
async function prepare(connections: Connections, options: ConnectOptions): Promise<void> {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  if (!folders.some((folder) => canRun(join(folder, "curl"))))
    throw new Failure("the hooks send with curl, which is not installed here; install it first");
  const home = homeAt(options.home);
  const url = runningWatcher(home)?.url ?? (await configuredUrl(home.path, options.config));
  const operations = operationsOf(options);
  const { target } = connections;
  const tokens = target.token === undefined ? [] : await operations.tokens();
  if (target.url === url && tokens.some(({ id }) => id === target.token)) return;
  const { token, secret } = await operations.createToken({ scope: "hook", name: "hooks of coding agents" });
  connections.prepare(url, { id: token.id, secret });
  if (target.token !== undefined) await operations.revokeToken(target.token).catch(() => {});
}

async function configuredUrl(home: string, config: string | undefined): Promise<string> {
  const { host, port } = listenAddress(undefined, await loadConfig(home, config));
  if (port === 0) throw new Failure("listen: has port 0, so hooks need the running watcher; start it first");
  const here = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${here.includes(":") ? `[${here}]` : here}:${port}`;
}

function attempt(connections: Connections, client: HookClient, act: () => Outcome): Outcome {
  try {
    return act();
  } catch (error) {
    const file = connections.standings().find((one) => one.client === client)?.file ?? "";
    return { client, file, done: "refused", problem: error instanceof Error ? error.message : String(error) };
  }
}

function connected(connections: Connections, client: HookClient): Outcome {
  const { file, changed } = connections.connect(client);
  const { todo, problem } = connections.standings().find((one) => one.client === client) ?? {};
  const done = changed ? "connected" : "already connected";
  return { client, file, done, ...given({ todo: problem ?? (changed ? todo : undefined) }) };
}

export function tell({ json }: ConnectOptions, outcomes: readonly Outcome[]): void {
  if (outcomes.some(({ problem }) => problem !== undefined)) process.exitCode = 1;
  if (json === true) return sayJson({ clients: outcomes });
  if (outcomes.length === 0) say("Nothing is connected.");
  for (const { client, file, done, problem, todo } of outcomes) {
    say(plain(problem === undefined ? `${client}: ${done} (${file})` : `${client}: refused: ${problem}`));
    if (todo !== undefined) say(dim(`  ${todo}`));
  }
}

async function list(connections: Connections, options: ConnectOptions): Promise<void> {
  const heard = options.status === true ? await heardOf(options) : undefined;
  const clients = connections.standings().map((one) => ({
    ...one,
    ...(heard === undefined
      ? {}
      : { lastEventAt: heard.find(({ client }) => client === one.client)?.lastEventAt ?? null }),
  }));
  if (options.json === true) return sayJson({ clients });
  const last = { title: "LAST EVENT", text: (one: (typeof clients)[number]) => sayLast(one.lastEventAt) };
  const rows = options.status === true ? clients.filter(({ state }) => state !== "not connected") : clients;
  if (rows.length === 0) return say("Nothing is connected. List what could be: rollcall connect");
  sayList(undefined, {}, rows, "", [
    { title: "CLIENT", text: ({ client }) => client },
    { title: "INSTALLED", text: ({ isThere }) => (isThere ? "yes" : "no") },
    { title: "STATE", text: ({ state }) => state },
    ...(options.status === true ? [last] : []),
    { title: "FILE", text: ({ file }) => file, least: 20, cut: "middle" },
    ...(options.status === true ? [] : [{ title: "TELLS", text: ({ tells }: ClientStanding) => tells }]),
  ]);
  for (const { client, problem } of rows) if (problem !== undefined) say(plain(`${client}: ${problem}`));
}

/** When the watcher last heard each client; nothing if none runs. */
async function heardOf(options: ConnectOptions): Promise<WatcherInfo["hooks"]> {
  const { watcher } = await operationsOf(options).roll();
  return Array.isArray(watcher.hooks) ? (watcher.hooks as WatcherInfo["hooks"]) : [];
}

function sayLast(at: string | null | undefined): string {
  return at === null || at === undefined ? "never" : sayAgo(Date.now() - Date.parse(at));
}
