// Every public name of the product, read off the built product as far as possible: where a source file stands must not matter.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { exitCodeOf, REASONS, STATES, type State } from "../../src/core/liveness/state.ts";
import { cli, rollcall, root, runToEnd, temporaryHome } from "../product.ts";
import { commandLine, flagsIn, helpByCommand } from "./commands.ts";
import { namesOfExports } from "./exports.ts";
import { namesOfFleet } from "./fleet.ts";
import { namesIn, namesInSchema } from "./shape.ts";
import { namesOfScripts, namesOfVariables } from "./texts.ts";

/** The names by what they are names of. */
export type Names = Readonly<Record<string, readonly string[]>>;

interface Package {
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

export async function publicNames(): Promise<Names> {
  const { bin, scripts, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Package;
  const modules = Object.entries(exports).flatMap(([name, at]) =>
    typeof at === "string" ? [] : [{ name, ...at }],
  );
  const command = commandLine({});
  const helps = Object.entries(await helpByCommand(command));
  const flags = Object.fromEntries(helps.map(([name, help]) => [name, flagsIn(help)]));
  const fleet = await namesOfFleet();
  const schema = JSON.parse((await command("config", "schema", "--json")).said) as unknown;
  const unasked = Object.keys(flags).filter(
    (name) => flags[name]?.includes("--json") === true && name !== "config schema" && !fleet.asked.has(name),
  );
  if (unasked.length > 0)
    throw new Error(
      `what does ${unasked.join(", ")} print with --json? test/public-names/asking.ts must ask for it`,
    );
  const names = {
    programs: Object.keys(bin),
    "commands and flags": Object.entries(flags).flatMap(([name, its]) =>
      ["", ...its].map((flag) => `rollcall ${name} ${flag}`.replace(/ +/g, " ").trim()),
    ),
    "flags of rollcall-beat": await flagsOfShellBeat(),
    "exit codes": await exitCodes(),
    states: Object.keys(STATES),
    reasons: Object.keys(REASONS),
    "config keys": namesInSchema(schema, "", schema),
    "config files": await configFiles(),
    ...namesOfApi(fleet.openapi),
    "API problems": rowsIn("docs/api.md", /^\| `([a-z-]+)` \| (\d{3}) \|$/gm),
    "checks of the doctor": rowsIn("docs/doctor.md", /^\| `([a-z]+)` \| .* \| `\w+` \|$/gm),
    "--json fields": fleet.fields,
    "files of the home": fleet.files,
    events: fleet.events,
    "messages to a command": fleet.messages,
    metrics: fleet.metrics,
    "MCP tools": await tools(fleet.home),
    "environment variables": namesOfVariables(root),
    "npm scripts": namesOfScripts(root, scripts),
    exports: [
      ...Object.keys(exports),
      ...namesOfExports(root, Object.fromEntries(modules.map(({ name, types }) => [name, sourceOf(types)]))),
    ],
  };
  return Object.fromEntries(Object.entries(names).map(([kind, found]) => [kind, [...new Set(found)].sort()]));
}

/** The declarations are made from the sources, and may be older than they are. */
function sourceOf(types: string): string {
  return types.replace("dist/types/", "src/").replace(/\.d\.ts$/, ".ts");
}

async function flagsOfShellBeat(): Promise<string[]> {
  return flagsIn((await runToEnd(join(root, "bin/rollcall-beat"), ["--help"])).stdout);
}

/** What each command ends with. That of `doctor` depends on the machine; its own tests have it. */
async function exitCodes(): Promise<string[]> {
  const home = temporaryHome("agents: [{ id: allegro, every: 15m }]\n");
  const self = [process.execPath, rollcall];
  const cases: Readonly<Record<string, readonly string[]>> = {
    "status --nonsense": ["status", "--nonsense"],
    "status of an agent that is not there": ["status", "nobody"],
    "status of a home that is not there": ["status", "--home", join(home, "gone")],
    "check of an agent that is not there": ["check", "nobody"],
    "check --nonsense": ["check", "--nonsense"],
    "daemon status without a daemon": ["daemon", "status"],
    "channels test of a channel that is not there": ["channels", "test", "nobody"],
    "config check of a bad config": ["config", "check", "--config", join(home, "bad.yaml")],
    "beat without an agent": ["beat"],
    "beat that cannot be written": ["beat", "allegro", "--home", join(home, "rollcall.yaml")],
  };
  const runs: Readonly<Record<string, readonly string[]>> = {
    "run of a command that fails with 4": ["run", "allegro", "--", "/bin/sh", "-c", "exit 4"],
    "run of a command that is not there": ["run", "allegro", "--", "/no/such/command"],
    "run of a command that a signal ends": ["run", "allegro", "--", "/bin/sh", "-c", "kill -9 $$"],
    "run beyond its time": ["run", "allegro", "--timeout", "100ms", "--", "/bin/sleep", "600"],
    "run while another runs": ["run", "allegro", "--", ...self, "run", "allegro", "--", "/bin/true"],
  };
  writeFileSync(join(home, "bad.yaml"), "agents: 7\n");
  const codes = Object.keys(STATES).map(
    (state) => `check of an agent that is ${state}: ${exitCodeOf(state as State)}`,
  );
  const command = commandLine({ ROLLCALL_HOME: home });
  for (const [name, words] of Object.entries(cases))
    codes.push(`${name}: ${(await command(...words)).status}`);
  // These end processes and are ended by signals: each gets a process of its own.
  for (const [name, words] of Object.entries(runs))
    codes.push(`${name}: ${(await cli(home, ...words)).status}`);
  return codes;
}

/** The names under which a config is found in the home. */
async function configFiles(): Promise<string[]> {
  const [found, command] = [[] as string[], commandLine({})];
  for (const name of ["rollcall.yaml", "rollcall.yml", "rollcall.json", "gateway.json"]) {
    const home = temporaryHome();
    writeFileSync(join(home, name), "{}");
    const { said } = await command("config", "check", "--json", "--home", home);
    const { file } = JSON.parse(said) as { file: string | null };
    if (file !== null) found.push(basename(file));
  }
  return found;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: unknown }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** What the OpenAPI document names: addresses, what a request may bring, and what its answer has. */
function namesOfApi(document: unknown): Names {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const [requests, fields] = [[] as string[], [] as string[]];
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { parameters = [], requestBody, responses }] of Object.entries(methods)) {
      const at = `${method.toUpperCase()} ${path}`;
      const within = (schema: unknown, name = "") =>
        namesInSchema(schema, name, document).map((inner) => `${at}: ${inner}`);
      requests.push(at);
      for (const { name, in: where, schema } of parameters) {
        if (where !== "path") requests.push(`${at}: ?${name}`, ...within(schema, `?${name}`));
      }
      for (const { schema } of contentsOf(requestBody)) requests.push(...within(schema));
      for (const [status, answer] of Object.entries(responses)) {
        if (Number(status) >= 400) continue;
        requests.push(`${at}: ${status}`);
        for (const { schema } of contentsOf(answer)) fields.push(...within(schema));
      }
    }
  }
  return { "HTTP requests": requests, "API fields": fields };
}

function contentsOf({ content = {} }: Content = {}): { readonly schema: unknown }[] {
  return Object.values(content);
}

/** The rows of a table in the docs, where another test holds that table against the code. */
function rowsIn(page: string, row: RegExp): string[] {
  return [...readFileSync(join(root, page), "utf8").matchAll(row)].map(([, ...cells]) => cells.join(" "));
}

/** The tools of `rollcall mcp`, what each takes, and what two of them answer. */
async function tools(home: string): Promise<string[]> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const env = { ...(process.env as Record<string, string>), ROLLCALL_HOME: home };
  const args = [rollcall, "mcp", "--allow-write"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  onTestFinished(() => client.close());
  const { tools: found } = await client.listTools();
  const answer = async (name: string, given: Record<string, string>) => {
    const { content } = (await client.callTool({ name, arguments: given })) as {
      content: { text: string }[];
    };
    return namesIn(JSON.parse(content[0]?.text ?? ""), "", /^$/).map((field) => `${name} answers: ${field}`);
  };
  return [
    ...found.flatMap(({ name, inputSchema }) => [
      name,
      ...namesInSchema(inputSchema, "", inputSchema).map((field) => `${name}: ${field}`),
    ]),
    ...(await answer("roll", {})),
    ...(await answer("agent", { agent: "adagio" })),
  ];
}
