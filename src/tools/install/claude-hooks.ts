import { quoted } from "../../core/quoted.ts";
import { refuseControl } from "../../home/install-error.ts";
import { checkProgram, thisProgram } from "../../home/program.ts";
import { type InstallOptions, namedHome } from "./outcome.ts";

/** When the harness calls us, and what the beat then says. */
const MOMENTS = {
  SessionStart: "session started",
  PermissionRequest: "asks for permission",
  Stop: "turn over",
  SessionEnd: "session ended",
} as const;

/**
 * Hooks for the settings of Claude Code: each beats and does nothing else. They never fail, because a hook that does
 * can hold up what it is hooked to; and they say nothing, because what a hook says may be taken for an answer.
 */
export function claudeHooks(options: InstallOptions, agent: string): string {
  const { program = thisProgram() } = options;
  checkProgram(program);
  const home = namedHome(options);
  const where = home === undefined ? [] : ["--home", home];
  const hooks = Object.entries(MOMENTS).map(([moment, action]) => {
    const words = [program.node, program.script, "beat", agent, ...where, "--action", action];
    for (const word of words) refuseControl("the word", word);
    const command = `${words.map(quoted).join(" ")} >/dev/null 2>&1 || true`;
    return [moment, [{ hooks: [{ type: "command", command, timeout: 10 }] }]];
  });
  return `${JSON.stringify({ hooks: Object.fromEntries(hooks) }, null, 2)}\n`;
}
