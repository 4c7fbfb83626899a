import { Command } from "commander";
import type { CommonOptions } from "../output/roll.ts";

export function mcpCommand(): Command {
  return new Command("mcp")
    .description("let an agent query the list of agents over stdin and stdout (Model Context Protocol)")
    .option(
      "--allow-write",
      "also offer tools that change something: beat, note, start and finish work, acknowledge",
    )
    .addHelpText("after", "\nExample:\n  $ claude mcp add rollcall -- rollcall mcp --allow-write")
    .action(async ({ allowWrite, ...common }: CommonOptions & { allowWrite?: true }) => {
      // A bundle of its own: no other command shall load the protocol.
      const { serveMcp } = (await import(
        new URL("./mcp.js", import.meta.url).href
      )) as typeof import("../mcp/main.ts");
      serveMcp(common, allowWrite === true);
    });
}
