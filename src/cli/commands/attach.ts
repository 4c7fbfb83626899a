import { Command } from "commander";
import { runHere } from "../../system/exec.ts";
import { ownServer, socketPathOf } from "../../system/tmux-servers.ts";
import { examples } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import { type CommonOptions, mustBeOnRoll } from "../output/roll.ts";
import { sayJson } from "../output/terminal.ts";

export function attachCommand(): Command {
  return new Command("attach")
    .description("go to the tmux pane of an agent; inside tmux, switch the current tmux client to it")
    .argument("<agent>", "the id of the agent")
    .option("--json", "print JSON: {agent, command}, and do not attach")
    .addHelpText("after", examples("attach allegro"))
    .action(async (agent: string, { json, ...where }: CommonOptions) => {
      await mustBeOnRoll(where, agent);
      const { command, go } = await attaching(agent, where);
      if (json === true) sayJson({ agent, command });
      else go();
    });
}

/** How this terminal goes to the pane of an agent; `go` waits until the person has left it. */
export async function attaching(
  agent: string,
  where: CommonOptions,
): Promise<{ readonly command: readonly string[]; readonly go: () => void }> {
  const { livePane } = await import("../../tools/own-traces.ts");
  const { pane, server } = await livePane(where, agent);
  const socket = socketPathOf(server, process.env);
  const isInside = ownServer(process.env).socketPath === socket;
  const command = [
    "tmux",
    "-S",
    socket,
    isInside ? "switch-client" : "attach-session",
    "-t",
    pane.id,
  ] as const;
  // In a pane of another server tmux would refuse to start inside of itself.
  const { TMUX: _, ...outside } = process.env;
  const go = () => {
    if (runHere(command, isInside ? process.env : outside) === 0) return;
    throw new Failure(`tmux could not go to the pane ${pane.id} of ${agent}`);
  };
  return { command, go };
}
