import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { expandTilde } from "../../agent/home.ts";
import type { TickSettings } from "../../config/sections/ticks.ts";
import type { Registered } from "../../core/tick/registry-input.ts";
import {
  type Capabilities,
  type HeldState,
  runningOf,
  sayHeld,
  type Vitals,
} from "../../core/tick/status.ts";
import { OddFileError, readNamedFile } from "../../system/files.ts";
import { failed, OK, type Probed, type ProbeScene, probe } from "./probe.ts";

const LARGEST_CONFIG = 16 * 1024 * 1024;

export interface Measured {
  readonly vitals: Vitals;
  readonly capabilities: Capabilities;
  /** Why something failed, by its name. */
  readonly problems: Readonly<Record<string, string>>;
}

/** Looks at an agent on this host; `held` is what the roll says of it. Nothing that it declares is believed. */
export async function measure(
  agent: Registered,
  settings: TickSettings,
  held: HeldState | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Measured> {
  const home = agent.home_dir === undefined ? undefined : resolve(expandTilde(agent.home_dir));
  const scene = { agent: agent.id, home, env };
  const names = Object.keys(settings.capabilities);
  const [gateway, config, ...probed] = await Promise.all([
    gatewayOf(settings, scene, held),
    configOf(agent, home),
    ...Object.values(settings.capabilities).map((each) => probe(each, scene)),
  ]);
  const folder = homeOf(home);
  const capabilities = names.map((name, i): [string, Probed] => [name, probed[i] ?? failed("not looked at")]);
  const all: [string, Probed][] = [
    ["gateway_running", gateway],
    ["home_directory_accessible", folder],
    ["config_valid", config],
    ...capabilities,
  ];
  return {
    vitals: { gateway_running: gateway.ok, home_directory_accessible: folder.ok, config_valid: config.ok },
    capabilities: Object.fromEntries(capabilities.map(([name, { ok }]) => [name, ok])),
    problems: Object.fromEntries(all.flatMap(([name, result]) => (result.ok ? [] : [[name, result.why]]))),
  };
}

/** The agent itself runs: the roll says so, and so does the probe where the config names one. */
async function gatewayOf(
  { gateway }: TickSettings,
  scene: ProbeScene,
  held: HeldState | undefined,
): Promise<Probed> {
  const running = held === undefined ? "unclear" : runningOf(held);
  if (held !== undefined && (running === "fails" || running === "gone")) return failed(sayHeld(held));
  if (gateway !== undefined) return probe(gateway, scene);
  if (running === "runs") return OK;
  const why = held === undefined ? "the agent is not on the roll" : sayHeld(held);
  return failed(`${why}; and tick.gateway names nothing to look for`);
}

/** A home is accessible if something can be written into it: modes do not tell of a full or read-only disk. */
function homeOf(home: string | undefined): Probed {
  if (home === undefined) return failed("the registry names no home_dir");
  if (!existsSync(home)) return failed("it does not exist");
  if (!statSync(home).isDirectory()) return failed("it is not a folder");
  const file = join(home, `.rollcall-tick-${process.pid}`);
  try {
    writeFileSync(file, "written to see whether this folder can be written\n", {
      flag: "wx",
      mode: 0o600,
      flush: true,
    });
    return OK;
  } catch (error) {
    return failed(`it cannot be written (${(error as NodeJS.ErrnoException).code ?? "failed"})`);
  } finally {
    rmSync(file, { force: true });
  }
}

/** A config is valid if it can be read, and parsed where its name says how. */
async function configOf({ config_path }: Registered, home: string | undefined): Promise<Probed> {
  if (config_path === undefined) return failed("the registry names no config_path");
  const path = resolve(home ?? ".", expandTilde(config_path));
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(readNamedFile(path, LARGEST_CONFIG));
    const kind = extname(path).toLowerCase();
    if (kind === ".json") JSON.parse(text);
    if (kind === ".yaml" || kind === ".yml") {
      const { parseDocument } = await import("../../config/yaml.ts");
      if (parseDocument(text, { prettyErrors: false }).errors.length > 0)
        return failed("it is not valid YAML");
    }
    return text.trim() === "" ? failed("it is empty") : OK;
  } catch (error) {
    // What stands in it is not repeated: configs contain secrets.
    if (error instanceof SyntaxError) return failed("it is not valid JSON");
    if (error instanceof OddFileError) return failed(`it ${error.why}`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return failed("it does not exist");
    return failed(
      code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is not text" : `it cannot be read (${code})`,
    );
  }
}
