import * as z from "zod";
import type { Observation } from "../../core/liveness/observation.ts";
import { mapping, yesNo } from "../../ports/setting-forms.ts";
import type { Look, SignalReader } from "../../ports/signal.ts";
import { type Ran, type Runner, runProgram } from "../../system/exec.ts";
import { openProc, type Proc } from "../../system/proc.ts";
import { signalName } from "../../system/tmux-pane.ts";
import type { SignalAdapter } from "../kit/adapter.ts";
import { Existence } from "../kit/existence.ts";

/** Every message says what would be right: it is shown after "expected". */
const UNIT = "the name of a systemd unit such as agent.service";

export const systemdSettings = mapping({
  // A name that began with a hyphen would be an option.
  unit: z
    .string({ error: UNIT })
    .regex(/^[a-zA-Z0-9:_.\\@][a-zA-Z0-9:_.\\@-]*$/, UNIT)
    .meta({ description: UNIT }),
  user: yesNo
    .meta({ description: "true for a unit of the user's own systemd (systemctl --user)" })
    .default(false),
});

export type SystemdSettings = z.output<typeof systemdSettings>;

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

/** A unit as `systemctl show` describes it. */
interface Unit {
  readonly load: string;
  readonly active: string;
  readonly sub: string;
  readonly pid: number;
  readonly result: string;
  readonly status: number;
}

const PROPERTIES = ["LoadState", "ActiveState", "SubState", "MainPID", "Result", "ExecMainStatus"];

function parseUnit(text: string): Unit {
  const values = new Map<string, string>();
  for (const line of text.split("\n")) {
    const equals = line.indexOf("=");
    if (equals > 0) values.set(line.slice(0, equals), line.slice(equals + 1));
  }
  const value = (name: string) => values.get(name) ?? "";
  return {
    ...{ load: value("LoadState"), active: value("ActiveState"), sub: value("SubState") },
    ...{ pid: Number(value("MainPID")), result: value("Result"), status: Number(value("ExecMainStatus")) },
  };
}

/** `exit 3`, `signal SIGKILL`, or what systemd calls it, as `timeout`. */
function sayResult({ result, status }: Unit): string {
  if (result === "exit-code") return `exit ${status}`;
  if (result === "signal" || result === "core-dump") return `${result} ${signalName(status)}`;
  return result === "success" ? `exit ${status}` : result;
}

const settings = systemdSettings.meta({ description: "its systemd unit" });

export const systemdAdapter: SignalAdapter<"systemd", typeof settings> = {
  kind: "systemd",
  settings,
  paths: [],
  open: (unit, { memory, proc }) => systemdSignal(unit, memory, { proc }),
};
