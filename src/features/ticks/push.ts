import { randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { cleaned, shortened } from "../../core/rca/harmless.ts";
import { run } from "../../system/exec.ts";

export type Pushed =
  | { readonly outcome: "pushed" }
  | { readonly outcome: "failed"; readonly problem: string };

interface Ran {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

type Git = (args: readonly string[]) => Promise<Ran>;

const MOST_TRIES = 10;
const TIME_LIMIT = 60_000;
/** Somebody else was faster: fetch what they did, put ours on top, and push again. */
const OVERTAKEN =
  /\[rejected\]|fetch first|non-fast-forward|cannot lock ref|failed to update ref|incorrect old value|reference already exists/i;
/** Another submission in this clone holds a lock, or has committed since ours looked. */
const BUSY = /index\.lock|unable to create .*\.lock|cannot lock ref/i;

/** Commits files of a ticks repository and pushes them; what another host pushes at the same time stays. */
export async function pushTicks(
  folder: string,
  files: readonly string[],
  message: string,
  env: NodeJS.ProcessEnv,
): Promise<Pushed> {
  const git: Git = (args) => runGit(folder, args, env);
  const top = await git(["rev-parse", "--show-toplevel"]);
  if (!top.ok) return failure(`${folder} is not in a git repository`, top);
  const added = await patiently(() => git(["add", "--", ...files]));
  if (!added.ok) return failure("git add failed", added);
  const who = await identity(git);
  const staged = await git(["diff", "--cached", "--quiet", "--", ...files]);
  if (!staged.ok) {
    const commit = ["commit", "--quiet", "-m", message, "--only", "--", ...files];
    const made = await patiently(() => git([...who, ...commit]));
    if (!made.ok) return failure("git commit failed", made);
  }
  return push(git, who);
}

async function push(git: Git, who: readonly string[]): Promise<Pushed> {
  const head = await git(["symbolic-ref", "--short", "HEAD"]);
  const branch = head.stdout.trim();
  if (!head.ok || branch === "") return failure("the ticks repository is on no branch", head);
  const configured = await git(["config", `branch.${branch}.remote`]);
  const remote = configured.stdout.trim() || "origin";
  for (let tries = 1; ; tries += 1) {
    const pushed = await git(["push", "--quiet", remote, `HEAD:refs/heads/${branch}`]);
    if (pushed.ok) return { outcome: "pushed" };
    if (!OVERTAKEN.test(pushed.stderr) || tries === MOST_TRIES) return failure("git push failed", pushed);
    await wait(randomInt(50, 100 + 200 * tries));
    const pulled = await patiently(() =>
      git([...who, "pull", "--quiet", "--rebase", "--autostash", remote, branch]),
    );
    if (pulled.ok) continue;
    await git(["rebase", "--abort"]);
    return failure(
      "the tick is committed, but does not fit on what others pushed; git pull --rebase failed",
      pulled,
    );
  }
}

/** Another submission on this host holds git's lock for a moment. */
async function patiently(run: () => Promise<Ran>): Promise<Ran> {
  for (let tries = 1; ; tries += 1) {
    const ran = await run();
    if (ran.ok || tries === MOST_TRIES || !BUSY.test(ran.stderr)) return ran;
    await wait(randomInt(50, 200 * tries));
  }
}

/** A host that has told git no name still submits; a rebase writes commits, too, and needs one. */
async function identity(git: Git): Promise<string[]> {
  const known = await git(["config", "user.email"]);
  return known.ok ? [] : ["-c", "user.name=rollcall", "-c", "user.email=rollcall@localhost"];
}

async function runGit(folder: string, args: readonly string[], given: NodeJS.ProcessEnv): Promise<Ran> {
  // Called from a hook, git's own variables would point to another repository.
  const { GIT_DIR: _, GIT_WORK_TREE: __, GIT_INDEX_FILE: ___, ...env } = given;
  const quiet = { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true" };
  const options = { env: { ...env, ...quiet }, timeout: TIME_LIMIT };
  const ran = await run("git", ["-C", folder, ...args], options);
  if (ran.how === "ended") return { ...ran, ok: ran.status === 0 };
  const problem = ran.how === "missing" ? "git is not installed" : ran.problem;
  return { ok: false, stdout: "", stderr: problem };
}

/** Git quotes addresses, and addresses contain tokens. */
function failure(what: string, { stderr }: Ran): Pushed {
  const words = shortened(cleaned(stderr), 400).replace(/\s+/g, " ").trim();
  return { outcome: "failed", problem: words === "" ? what : `${what}: ${words}` };
}
