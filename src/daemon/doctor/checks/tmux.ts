import { agentsHere } from "../agents-here.ts";
import type { Check } from "../check.ts";

export const tmuxCheck: Check = {
  name: "tmux",
  looksAt: "tmux is installed, if an agent is watched in it",
  worst: "error",
  async run(context) {
    const ids = (await agentsHere(context)).flatMap(({ id, signals }) => (signals.tmux ? [id] : []));
    if (ids.length === 0) return [{ level: "ok", says: "no agent is watched in tmux" }];
    const ran = await context.host.run("tmux", ["-V"]);
    if (ran.how === "ended" && ran.status === 0)
      return [{ level: "ok", says: `${ran.stdout.trim()} is installed` }];
    const need = `${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ` and ${ids.length - 5} more` : ""}`;
    if (ran.how === "missing") {
      const says = `tmux is not installed, so nobody can see what these do: ${need}`;
      return [{ level: "error", says, todo: "Install it where the watcher finds it: sudo apt install tmux" }];
    }
    const problem = ran.how === "failed" ? ran.problem : ran.stderr || `exit ${ran.status}`;
    return [
      {
        level: "error",
        says: `tmux cannot be run (${problem}), but is needed for: ${need}`,
        todo: "See why: tmux -V",
      },
    ];
  },
};
