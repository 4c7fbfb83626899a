import { Command } from "commander";
import { operationsOf } from "../../service/connect.ts";
import { examples } from "../input/arguments.ts";
import { type CommonOptions, mustBeOnRoll } from "../output/roll.ts";
import { sayDone } from "../output/terminal.ts";

// What a person asks for takes the step that the agent's ladder in the config has, with its guards.

export function restartCommand(): Command {
  return stepCommand("restart", "restart an agent now, with the restart step in its config (recover)");
}

export function nudgeCommand(): Command {
  return stepCommand("nudge", "type the text of an agent's nudge step (recover in the config) at its prompt");
}

export function wakeCommand(): Command {
  return stepCommand("wake", "run an agent's next cycle now (the restart step with run: true in its config)");
}

function stepCommand(step: "restart" | "nudge" | "wake", what: string): Command {
  return new Command(step)
    .description(what)
    .argument("<agent>", "the id of the agent")
    .option("--json", "print JSON: {agent, step, note}")
    .addHelpText("after", examples(`${step} allegro`))
    .action(async (agent: string, { json, ...where }: CommonOptions) => {
      await mustBeOnRoll(where, agent);
      const note = await operationsOf(where).takeStep(agent, step);
      sayDone(json, { agent, step, note }, `${agent}: ${note}`);
    });
}
