import { Command, Option } from "commander";
import { given } from "../../core/given.ts";
import { operationsOf } from "../../service/connect.ts";
import { examples } from "../input/arguments.ts";
import type { CommonOptions } from "../output/roll.ts";
import { say, sayDone, sayJson, sayList, timeColumn } from "../output/terminal.ts";

interface CreateOptions extends CommonOptions {
  readonly scope: string;
  readonly agent?: string;
  readonly name?: string;
  readonly person?: string;
  readonly pingKey?: true;
}

export function tokenCommand(): Command {
  const token = new Command("token")
    .description("create, list and revoke access tokens")
    .addHelpText("after", examples("token create --scope read --name grafana", "token list"));

  token
    .command("create")
    .description("create a token and print its secret, which is shown only once")
    .addOption(
      new Option(
        "--scope <scope>",
        "beat: send beats; hook: send reports of coding agents; read: read everything; admin: also change things",
      )
        .choices(["beat", "hook", "read", "admin"])
        .makeOptionMandatory(),
    )
    .option("--agent <id>", "allow only beats of this agent")
    .option("--name <text>", "a note on what the token is for")
    .option(
      "--person <name>",
      "the person who gets the token; the audit log and acknowledgements show this name",
    )
    .option("--ping-key", "create a key for ping URLs such as /ping/<key>/<slug>")
    .option("--json", "print JSON: {token, secret}")
    .addHelpText(
      "after",
      "\nExamples:\n  $ rollcall token create --scope read --name grafana\n  $ key=$(rollcall token create --scope beat --ping-key)",
    )
    .action(async ({ scope, agent, name, person, pingKey, ...options }: CreateOptions) => {
      const made = await operationsOf(options).createToken(given({ scope, agent, name, person, pingKey }));
      if (options.json === true) sayJson(made);
      else say(made.secret);
    });

  token
    .command("list")
    .description("list the valid tokens, without their secrets")
    .option("--json", "print JSON: {tokens}")
    .addHelpText("after", examples("token list"))
    .action(async (options: CommonOptions) => {
      const tokens = await operationsOf(options).tokens();
      const none = "No token yet. Create one: rollcall token create --scope read";
      sayList(options.json, { tokens }, tokens, none, [
        { title: "ID", text: ({ id }) => id },
        { title: "SCOPE", text: ({ scope, pingKey }) => (pingKey ? `${scope} (ping key)` : scope) },
        { title: "AGENT", text: ({ agent }) => agent ?? "all" },
        timeColumn("MADE", ({ createdAt }) => createdAt),
        { title: "PERSON", text: ({ person }) => person ?? "–" },
        { title: "NAME", text: ({ name }) => name },
      ]);
    });

  token
    .command("revoke")
    .description("revoke a token; this signs out everyone who signed in with it")
    .argument("<id>", "the id of the token, as token list shows it")
    .option("--json", "print JSON: {token, revoked}")
    .addHelpText("after", examples("token revoke 3f2a9c01"))
    .action(async (id: string, { json, ...options }: CommonOptions) => {
      await operationsOf(options).revokeToken(id);
      sayDone(json, { token: id, revoked: true }, `revoked ${id}`);
    });
  return token;
}
