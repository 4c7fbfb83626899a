import { posix } from "node:path";
import { sayProblem } from "../../core/beat-input.ts";
import { gitRemote } from "../../core/git-remote.ts";
import { given } from "../../core/given.ts";
import { type Registered, readRegistry } from "../../core/tick/registry-input.ts";
import { type Job, jobsNaming, readCrontabText } from "./crontab-lines.ts";
import { type CronWake, ImportError, type Imported, parseJson } from "./imported.ts";

export interface Checkout {
  /** Its folder: absolute. */
  readonly path: string;
  /** The text of config/agent-registry.json; undefined if there is none. */
  readonly registry: string | undefined;
  /** The text of .git/config. */
  readonly gitConfig: string | undefined;
  readonly crontab: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether an agent's home directory is on this host. */
  readonly isHere: (folder: string) => boolean;
}

const REGISTRY = "config/agent-registry.json";
const ACTIONS = ["tick-submit", "tick-check"];

/** What cron did, cron goes on doing, with Rollcall's commands; otherwise the daemon does it on its own. */
export function importTickScripts(old: Checkout): Imported {
  const file = posix.join(old.path, REGISTRY);
  if (old.registry === undefined)
    throw new ImportError(`${old.path} has no ${REGISTRY}; expected a checkout with ${REGISTRY} and ticks/`);
  const form = 'JSON such as {"agents": [{"id": "allegro", "active": true}]}';
  const read = readRegistry(parseJson(old.registry, file, form));
  if ("problem" in read) throw new ImportError(`${file}: ${sayProblem(read.problem)}`);
  const notCarried = read.entries.flatMap((entry) =>
    "problem" in entry ? [`${file}: ${sayProblem(entry.problem)}`] : [],
  );
  const agents = read.entries.flatMap((entry) => ("agent" in entry ? entry.agent : []));
  const crontab = readCrontabText(old.crontab);
  const lines = sorted(jobsNaming(crontab.jobs, old.path, old.home));
  const submitted = whose(agents, lines.submit, old);
  const places = ["--registry", file, "--ticks", posix.join(old.path, "ticks")];
  const isCron = lines.submit.length + lines.check.length > 0;
  const forge = forgeOf(old);
  for (const { line } of lines.other)
    notCarried.push(
      `line ${line + 1} of the crontab: its name mentions neither submitting nor checking ticks`,
    );
  for (const job of [...lines.submit, ...lines.check]) notCarried.push(...lostVariables(job));
  if (forge.problem !== undefined) notCarried.push(forge.problem);
  const todo: string[] = [];
  if (forge.settings !== undefined)
    todo.push(`set ${forge.settings.tokenEnv} for the watcher and in the crontab, or use forge.tokenFile`);
  if (lines.submit.length > 0 && submitted.length === 0)
    todo.push("no home_dir of the registry exists on this host: list this host's agents in tick.agents");
  const config = given({
    tick: {
      registry: file,
      ticks: posix.join(old.path, "ticks"),
      agents: submitted.length === 0 ? undefined : submitted,
    },
    forge: forge.settings,
    // Cron and the daemon would both submit and check.
    heartbeat: isCron ? { actions: ACTIONS.map((name) => ({ name, enabled: false })) } : undefined,
  });
  const wakes = [
    ...first(lines.submit).map((job) => tickWake(job, ["tick", "submit", ...places])),
    ...first(lines.check).map((job) => tickWake(job, ["tick", "check", "--check-and-report", ...places])),
  ];
  const canGo = [...lines.submit, ...lines.check]
    .toSorted((a, b) => a.line - b.line)
    .map(({ line }) => ({ line, text: crontab.lines[line] ?? "" }));
  return { config, wakes, canGo, notCarried, todo };
}

interface Sorted {
  readonly submit: readonly Job[];
  readonly check: readonly Job[];
  readonly other: readonly Job[];
}

function sorted(jobs: readonly Job[]): Sorted {
  const doing = (job: Job) => {
    // The folder may be called anything; the script and its options tell.
    const said = job.command.replaceAll(/\S*\/(?=[^/\s]+)/g, "");
    if (/monitor|check|report|rca/i.test(said)) return "check";
    return /submit|tick|send/i.test(said) ? "submit" : "other";
  };
  const of = (what: keyof Sorted) => jobs.filter((job) => doing(job) === what);
  return { submit: of("submit"), check: of("check"), other: of("other") };
}

/** One line submits for all agents of this host, and one checks: the other lines just go. */
function first(jobs: readonly Job[]): readonly Job[] {
  return jobs.slice(0, 1);
}

function tickWake({ schedule, line }: Job, args: readonly string[]): CronWake {
  return { block: "ticks", schedule, args, environment: "of this shell", replaces: line };
}

/** Those whom the old lines name; otherwise those who live here. */
function whose(agents: readonly Registered[], jobs: readonly Job[], { isHere }: Checkout): readonly string[] {
  const words = new Set(jobs.flatMap(({ command }) => command.split(/[\s"'=]+/)));
  const active = agents.filter((agent) => agent.active);
  const named = active.filter(({ id }) => words.has(id));
  const here = active.filter(({ home_dir: folder }) => folder !== undefined && isHere(folder));
  return (named.length > 0 ? named : here).map(({ id }) => id);
}

/** A variable that a line sets for its own command goes with the line. Its value may be a secret. */
function lostVariables({ command, line }: Job): string[] {
  const names = [...command.matchAll(/(?:^|&&\s*|;\s*|\benv\s+)((?:[A-Za-z_]\w*=\S*\s+)+)/g)].flatMap(
    ([, all = ""]) => [...all.matchAll(/([A-Za-z_]\w*)=/g)].map(([, name]) => name),
  );
  if (names.length === 0) return [];
  const all = names.join(", ");
  return [
    `line ${line + 1} of the crontab sets ${all} for its command; put that on a line of its own, above the new lines`,
  ];
}

interface Forge {
  readonly kind: "gitea" | "github" | "gitlab";
  readonly url?: string;
  readonly repo: string;
  readonly tokenEnv: string;
}

/** The forge of a checkout: by its remote, and by the variables of the old script where they are set. */
function forgeOf({ gitConfig = "", env }: Checkout): { settings?: Forge; problem?: string } {
  const remote = /\[remote "origin"\][^[]*?^\s*url\s*=\s*(\S+)/m.exec(gitConfig)?.[1] ?? "";
  const { host = "", repo } = gitRemote(remote) ?? {};
  if (repo === undefined)
    return { problem: "the forge: .git/config names no remote; add forge: {kind, url, repo, tokenEnv}" };
  if (host === "github.com") return { settings: { kind: "github", repo, tokenEnv: "GITHUB_TOKEN" } };
  if (host.includes("gitlab")) {
    const url = addressOf(remote, host);
    return { settings: { kind: "gitlab", url, repo, tokenEnv: "GITLAB_TOKEN" } };
  }
  if (host.includes("bitbucket")) return { problem: `the forge at ${host}: Rollcall does not support it` };
  const url = env.GITEA_URL || env.CLAW_CODE_GITEA_URL || addressOf(remote, host);
  return { settings: { kind: "gitea", url, repo: env.GITEA_REPO || repo, tokenEnv: "GITEA_TOKEN" } };
}

/** The page of the forge: the address of the remote without user and path, or https where git goes by ssh. */
function addressOf(remote: string, host: string): string {
  if (!/^https?:/.test(remote) || !URL.canParse(remote)) return `https://${host}`;
  const { protocol, host: withPort } = new URL(remote);
  return `${protocol}//${withPort}`;
}
