import { sayProblem } from "../core/beat-input.ts";
import { TickError } from "../core/tick/error.ts";
import { type Registered, type RegistryEntry, readRegistry } from "../core/tick/registry-input.ts";
import { readNamedFile } from "../system/files.ts";

const LARGEST = 16 * 1024 * 1024;

/** The entries of the registry, good and bad. Without a registry nothing can be said of anybody: that is an error. */
export function registryAt(
  path: string,
  advice = "; name the registry with --registry FILE",
): readonly RegistryEntry[] {
  let text: string;
  try {
    text = readNamedFile(path, LARGEST).toString("utf8");
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    const why = missing ? `there is no such file${advice}` : "it cannot be read";
    throw new TickError("no-registry", `${path}: ${why}`, { cause });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const right = 'expected JSON such as {"agents": [{"id": "allegro", "active": true}]}';
    throw new TickError("bad-registry", `${path}: ${right}`, { cause });
  }
  const read = readRegistry(value);
  if ("problem" in read) throw new TickError("bad-registry", `${path}: ${sayProblem(read.problem)}`);
  return read.entries;
}

/** The agents whose ticks are to be submitted: the named one, those of this host, or the only one that there is. */
export function agentsToSubmit(path: string, named: readonly string[] | undefined): readonly Registered[] {
  const known = registryAt(path).flatMap((entry) => ("agent" in entry ? entry.agent : []));
  if (named === undefined) {
    const active = known.filter((agent) => agent.active);
    if (active.length === 1) return active;
    throw new TickError(
      "no-agent",
      "which agent? name it with --agent ID, or those of this host in the config (tick.agents)",
    );
  }
  return named.map((id) => {
    const found = known.find((agent) => agent.id === id);
    if (found !== undefined) return found;
    throw new TickError(
      "no-agent",
      `${path}: there is no agent ${JSON.stringify(id)}; expected one of ${known.map((each) => each.id).join(", ")}`,
    );
  });
}
