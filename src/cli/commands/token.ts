import { Command, Option } from "commander";
import { operationsOf } from "../../service/connect.ts";
import type { Common } from "../output/roll.ts";
import { say, sayDone, sayJson, table, when } from "../output/terminal.ts";

interface CreateOptions extends Common {
  readonly scope: string;
  readonly agent?: string;
  readonly name?: string;
  readonly pingKey?: true;
  readonly json?: true;
}

export function tokenCommand(): Command {
  const token = new Command("token").description("who may ask the watcher from elsewhere, and for what");

  token
    .command("create")
    .description("make a token; its secret is printed this once, and nothing else")
    .addOption(
      new Option("--scope <scope>", "send beats, read everything, or change things")
        .choices(["beat", "read", "admin"])
        .makeOptionMandatory(),
    )
    .option("--agent <id>", "only the beats of this agent")
    .option("--name <text>", "what it is for")
    .option("--ping-key", "a key for addresses such as /ping/<key>/<slug>")
    .option("--json", "for programs: {token, secret}")
    .addHelpText(
      "after",
      "\nExamples:\n  $ rollcall token create --scope read --name grafana\n  $ key=$(rollcall token create --scope beat --ping-key)",
    )
    .action(async ({ scope, agent, name, pingKey, ...options }: CreateOptions) => {
      const wish = { scope, agent, name, pingKey };
      const asked = Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined));
      const made = await operationsOf(options).createToken(asked);
      if (options.json === true) sayJson(made);
      else say(made.secret);
    });

  token
    .command("list")
    .description("the tokens that count; never their secrets")
    .option("--json", "for programs: {tokens}")
    .addHelpText("after", "\nExample:\n  $ rollcall token list")
    .action(async (options: Common & { json?: true }) => {
      const tokens = await operationsOf(options).tokens();
      if (options.json === true) return sayJson({ tokens });
      if (tokens.length === 0) return say("No token yet. Make one: rollcall token create --scope read");
      say(
        table(tokens, [
          { title: "ID", text: ({ id }) => id },
          { title: "SCOPE", text: ({ scope, pingKey }) => (pingKey ? `${scope} (ping key)` : scope) },
          { title: "AGENT", text: ({ agent }) => agent ?? "all" },
          { title: "MADE", text: ({ createdAt }) => when(createdAt) },
          { title: "NAME", text: ({ name }) => name },
        ]),
      );
    });

  token
    .command("revoke")
    .description("take a token back; who signed in with it is signed out")
    .argument("<id>")
    .option("--json", "for programs: {token, revoked}")
    .addHelpText("after", "\nExample:\n  $ rollcall token revoke 3f2a9c01")
    .action(async (id: string, { json, ...options }: Common & { json?: true }) => {
      await operationsOf(options).revokeToken(id);
      sayDone(json, { token: id, revoked: true }, `revoked ${id}`);
    });
  return token;
}
