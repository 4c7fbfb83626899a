import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../../system/exec.ts";
import { unitName } from "../install/unit.ts";

/** A service that this user wrote and that systemd runs. */
export interface FoundUnit {
  readonly unit: string;
  readonly user: boolean;
}

/** The services of this user's own systemd that run or have failed; for root those of the machine. */
export async function ownUnits(env: NodeJS.ProcessEnv): Promise<readonly FoundUnit[]> {
  const user = process.getuid?.() !== 0;
  const folder = user
    ? join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "systemd/user")
    : "/etc/systemd/system";
  const names = serviceFiles(folder);
  if (names.length === 0) return [];
  const args = [...(user ? ["--user"] : []), "show", "-p", "Id,ActiveState,Type", "--", ...names];
  const ran = await runProgram("systemctl", args);
  if (ran.how !== "ended" || ran.status !== 0) return [];
  return ran.stdout.split("\n\n").flatMap((block) => {
    const of = (key: string) => new RegExp(`^${key}=(.*)$`, "m").exec(block)?.[1] ?? "";
    const isService = /^(?:active|activating|failed)$/.test(of("ActiveState")) && of("Type") !== "oneshot";
    return isService && names.includes(of("Id")) ? [{ unit: of("Id"), user }] : [];
  });
}

/** Files, not links: links lead to units that a package brought. Ours watches itself. */
function serviceFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && /^[a-zA-Z0-9][\w.-]*\.service$/.test(entry.name))
      .map(({ name }) => name)
      .filter((name) => name !== unitName("user") && name !== unitName("system"))
      .sort();
  } catch {
    return [];
  }
}
