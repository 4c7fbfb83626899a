import { Command } from "commander";
import { formatDuration } from "../../core/duration.ts";
import { openActions } from "../../daemon/actions/open.ts";
import { listenAddress } from "../../daemon/config/listen.ts";
import { type Config, loadConfig } from "../../daemon/config/load.ts";
import { configJsonSchema } from "../../daemon/config/schema.ts";
import { homeAt } from "../../daemon/home.ts";
import type { Common } from "../roll.ts";
import { say, sayJson } from "../terminal.ts";

export function configCommand(): Command {
  const config = new Command("config").description("the config file");

  config
    .command("check")
    .description("check the config file and what it names; modules of actions are loaded")
    .option("--listen <address>", "check this address too, as up and daemon start take it")
    .addHelpText("after", "\nExample:\n  $ rollcall config check --config ./rollcall.yaml")
    .action(async (options: Common & { listen?: string }) => {
      const home = homeAt(options.home).path;
      const config = await loadConfig(home, options.config);
      listenAddress(options.listen, config);
      const { file, agents } = config;
      if (file === undefined)
        return say("There is no config file, and none is needed: the defaults are in force.");
      const actions = await openActions(config, { home });
      say(`${file} is fine: ${count(agents, "agent")}, ${count(actions, "action")}`);
      // A module that was loaded may have left timers behind.
      process.exit(0);
    });

  config
    .command("show")
    .description("the config in force, defaults included")
    .option("--json", "for programs")
    .addHelpText("after", "\nExample:\n  $ rollcall config show --json")
    .action(async (options: Common & { json?: true }) => {
      const { file, ...inForce } = show(await loadConfig(homeAt(options.home).path, options.config));
      if (options.json === true) return sayJson({ file, ...inForce });
      const { stringify } = await import("../../daemon/config/yaml.ts");
      say(`# ${file ?? "no config file: these are the defaults"}\n${stringify(inForce).trimEnd()}`);
    });

  config
    .command("schema")
    .description("the JSON Schema of the config file, for editors")
    .addHelpText("after", "\nExample:\n  $ rollcall config schema > rollcall.schema.json")
    .action(() => sayJson(configJsonSchema()));

  return config;
}

function count({ length }: readonly unknown[], what: string): string {
  return `${length} ${what}${length === 1 ? "" : "s"}`;
}

/** Lengths as people write them. */
function show({ file, defaults, retention, agents, ...rest }: Config): {
  file: string | null;
  [key: string]: unknown;
} {
  return {
    file: file ?? null,
    ...rest,
    defaults: lengths(defaults),
    retention: lengths(retention),
    agents: agents.map(lengths),
  };
}

function lengths(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, typeof value === "number" ? formatDuration(value) : value]),
  );
}
