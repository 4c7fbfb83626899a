import type { Observation } from "../../core/liveness/observation.ts";
import type { Look, SignalReader } from "../../ports/signal.ts";
import { type Ran, type Runner, runProgram } from "../../system/exec.ts";
import { openProc, type Proc } from "../../system/proc.ts";
import { Existence } from "../kit/existence.ts";
import type { SystemdSettings } from "./settings.ts";
import { PROPERTIES, parseUnit, sayResult, type Unit } from "./unit.ts";

/** What a systemd signal uses of the system; a test replaces it. */
interface Means {
  readonly run?: Runner;
  readonly proc?: Proc;
}

/** The state of a unit. systemd knows how its processes ended, so that a clean end is known to be one. */
export function systemdSignal(
  { unit: name, user }: SystemdSettings,
  memory?: unknown,
  { run = runProgram, proc = openProc() }: Means = {},
): SignalReader {
  const existence = new Existence("systemd", memory);
  const args = [...(user ? ["--user"] : []), "show", "-p", PROPERTIES.join(","), "--", name];

  const judge = (look: Look, unit: Unit): readonly Observation[] => {
    if (unit.load !== "loaded" && unit.active === "inactive") {
      const problem = `systemd has no unit ${name} (${unit.load || "unknown"})`;
      return existence.isKnown
        ? existence.gone(look, { clean: false, exit: problem })
        : existence.unclear(look, problem);
    }
    switch (unit.active) {
      case "failed":
        return existence.gone(look, { clean: false, exit: sayResult(unit) });
      case "inactive":
        // A unit that was not started yet has not ended.
        if (!existence.isKnown) return existence.unclear(look, `the unit ${name} has not been started`);
        return existence.gone(look, { clean: unit.result === "success", exit: sayResult(unit) });
      case "activating":
        // It waits to be started again after it failed: nobody is there.
        if (unit.sub.startsWith("auto-restart")) {
          const clean = unit.result === "success";
          return existence.gone(look, { clean, exit: `${sayResult(unit)}; systemd will restart it` });
        }
        return existence.there(look, proc.stat(unit.pid)?.life);
      case "deactivating":
        // It is on its way out: how it ends is told when it has.
        return [];
      default:
        return existence.there(look, proc.stat(unit.pid)?.life);
    }
  };

  return {
    signal: "systemd",
    async look(look) {
      const ran = await run("systemctl", args, look.abort);
      const problem = problemOf(ran);
      if (problem !== undefined) return existence.unclear(look, problem);
      return ran.how === "ended" ? judge(look, parseUnit(ran.stdout)) : [];
    },
    memory: () => existence.memory(),
    close() {},
  };
}

function problemOf(ran: Ran): string | undefined {
  if (ran.how === "missing")
    return "systemd is not available here; watch this agent by its process or its log";
  if (ran.how === "failed") return ran.problem;
  if (ran.status !== 0) return `systemctl failed: ${ran.stderr || `exit ${ran.status}`}`;
  return /^ActiveState=./m.test(ran.stdout) ? undefined : "systemctl did not report the state of the unit";
}
