import { Command } from "commander";
import type { ConfigError } from "../../config/config-error.ts";
import { type Config, loadConfig } from "../../config/load.ts";
import { mistakesOf } from "../../config/mistakes.ts";
import { configJsonSchema, configSchema } from "../../config/schema.ts";
import { withoutSecrets } from "../../config/settings.ts";
import { written } from "../../config/written.ts";
import { formatDuration } from "../../core/duration.ts";
import { openActions } from "../../features/actions/open.ts";
import { homeAt } from "../../home/home.ts";
import { refuseUnstartable, warningsWithLines } from "../../tools/check-config.ts";
import { unkeptPanes } from "../../tools/respawn.ts";
import { examples } from "../input/arguments.ts";
import type { CommonOptions } from "../output/roll.ts";
import { plain, say, sayDone, sayJson } from "../output/terminal.ts";

export function configCommand(): Command {
  const config = new Command("config")
    .description("check and show the config file")
    .addHelpText("after", examples("config check", "config show"));

  config
    .command("check")
    .description("check the config file and the files that it names")
    .option("--listen <address>", "also check the address that you pass to up or daemon start")
    .option(
      "--json",
      "print JSON: {file, agents, actions, foreign, warnings}, or {file, problems} if it is not valid",
    )
    .addHelpText(
      "after",
      `
A missing secret or file is a warning: the watcher starts without it. The check
loads the modules of scheduled actions, so their top-level code runs.

Exit codes:
  0  the config is valid (there may be warnings)
  1  the watcher would not start with it

Example:
  $ rollcall config check --config ./rollcall.yaml`,
    )
    .action(async (options: CommonOptions & { listen?: string }) => {
      const home = homeAt(options.home);
      const { config, actions } = await loadStartable(options).catch((error: unknown) => {
        if (options.json === true) sayMistakes(error);
        throw error;
      });
      const unkept = await unkeptPanes(config, config.agents);
      const warnings = [
        ...(await warningsWithLines(config, home)),
        ...unkept.map(({ says, command }) => `${says}. Keep it: ${command}`),
      ];
      const { file, agents } = config;
      const foreign = config.foreign.map(({ name }) => name);
      if (options.json === true)
        sayJson({ file: file ?? null, agents: agents.length, actions: actions.length, foreign, warnings });
      else if (file === undefined)
        say("There is no config file, and none is needed: the defaults are in force.");
      else {
        const well = warnings.length === 0 ? "is fine" : `is valid, with ${count(warnings, "warning")}`;
        say(`${file} ${well}: ${count(agents, "agent")}, ${count(actions, "action")}`);
        if (foreign.length > 0) say(`ignored, because they are not Rollcall's: ${plain(foreign.join(", "))}`);
        for (const warning of warnings) say(`warning: ${plain(warning)}`);
      }
      // A module that was loaded may have left timers behind.
      process.exit(0);
    });

  config
    .command("show")
    .description("show the config in force, with its defaults")
    .option("--json", "print JSON")
    .addHelpText("after", examples("config show --json"))
    .action(async (options: CommonOptions) => {
      const config = withoutSecrets(await loadConfig(homeAt(options.home).path, options.config));
      if (options.json === true) return sayJson(show(config));
      const { stringify } = await import("../../config/yaml.ts");
      const { file, rulePacks: _, foreign: __, sessions: ___, overlooked: ____, ...inForce } = config;
      const text = stringify(written(configSchema, inForce)).trimEnd();
      say(`# ${file ?? "no config file: these are the defaults"}\n${text}`);
    });

  config
    .command("edit")
    .description("edit the config in $VISUAL or $EDITOR; if it has no mistake, Rollcall puts it in force")
    .option("--json", "print JSON: {file, changed, reloaded}")
    .addHelpText("after", examples("config edit"))
    .action(async ({ json, ...options }: CommonOptions) => {
      const { editConfig } = await import("../../tools/edit-config.ts");
      const edited = await editConfig(options, process.env);
      const { file, changed, reloaded } = edited;
      const force = reloaded ? "; it is in force" : "";
      sayDone(json, edited, changed ? `${file} is changed${force}` : `${file} is as it was`);
    });

  config
    .command("schema")
    .option("--json", "the output is always JSON")
    .description("print the JSON Schema of the config file, for editors")
    .addHelpText(
      "after",
      "\nExample:\n  $ rollcall config schema > rollcall.schema.json\n\ndocs/config.md lists every key with its default and an example.",
    )
    .action(() => sayJson(configJsonSchema()));

  return config;
}

/** The config and its actions, if a watcher would start with them. */
async function loadStartable({ home: named, config: file, listen }: CommonOptions & { listen?: string }) {
  const home = homeAt(named);
  const config = await loadConfig(home.path, file);
  await refuseUnstartable(config, home, listen);
  return { config, actions: await openActions(config, { home: home.path }) };
}

/** For programs; the sentence for people follows on the error output. */
function sayMistakes(error: unknown): void {
  if (!(error instanceof Error)) return;
  const { file = null, problems } = error as Partial<ConfigError>;
  const one = { file, line: null, path: null, message: error.message };
  sayJson({
    file,
    problems: file === null || problems === undefined ? [one] : mistakesOf({ file, problems }),
  });
}

function count({ length }: readonly unknown[], what: string): string {
  return `${length} ${what}${length === 1 ? "" : "s"}`;
}

/** Lengths as people write them. */
function show(config: Config): object {
  const { file, foreign: _, sessions: __, overlooked: ___, defaults, retention, agents, ...rest } = config;
  return {
    file: file ?? null,
    ...rest,
    defaults: lengths(defaults),
    retention: lengths(retention),
    // Those that only tick.registry names come from there again.
    agents: agents.filter(({ promisesNothing }) => promisesNothing !== true).map(lengths),
  };
}

function lengths(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, typeof value === "number" ? formatDuration(value) : value]),
  );
}
