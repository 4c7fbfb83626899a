import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { root } from "../product.ts";

/** Runs a command of the product, one after the other. */
type Command = (...words: readonly string[]) => Promise<{ readonly said: string; readonly status: number }>;

/** A command line in one process of its own, which lives as long as the test. */
export function commandLine(env: Readonly<Record<string, string>>): Command {
  const child = spawn(process.execPath, [join(root, "test/public-names/commands.mjs")], {
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill());
  let problems = "";
  child.stderr.on("data", (chunk) => {
    problems += String(chunk);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (...words) => {
    child.stdin.write(`${JSON.stringify(words)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`rollcall ${words.join(" ")} ended the process: ${problems}`);
    return JSON.parse(value) as Awaited<ReturnType<Command>>;
  };
}

/** The help of every command. */
export async function helpByCommand(command: Command): Promise<Readonly<Record<string, string>>> {
  const helps: Record<string, string> = {};
  const walk = async (words: readonly string[]): Promise<void> => {
    const { said: help } = await command(...words, "--help");
    helps[words.join(" ")] = help;
    for (const line of (words.length === 0 ? groupsIn(help) : ["Commands"]).flatMap((title) =>
      listed(help, title),
    )) {
      // A command and its aliases have the same commands below them.
      const names = (line.split(" ", 1)[0] ?? "").split("|");
      for (const name of names) if (name !== "help") await walk([...words, name]);
    }
  };
  await walk([]);
  return helps;
}

/** The titles over the commands of the program, which stand in several groups. */
function groupsIn(help: string): readonly string[] {
  const titles = help.split("\n\n").flatMap((part) => /^([A-Z][\w ]+):\n {2}/.exec(part)?.[1] ?? []);
  return titles.filter((title) => title !== "Options" && title !== "Examples");
}

/** What the help of a command lacks: an example, or a text for an argument. */
export function lacksOf(help: string): string[] {
  const section = help.split("\n\n").find((part) => part.startsWith("Arguments:\n")) ?? "";
  const bare = [...section.matchAll(/^ {2}(\S+)\s*$/gm)].map(([, name = ""]) => name);
  const hasArguments = /^Usage: .* (?:<\S+>|\[(?!options|command)\S+\])/.test(help);
  return [
    ...(/^Examples?:$/m.test(help) ? [] : ["an example"]),
    ...(hasArguments && section === "" ? ["its arguments"] : []),
    ...bare.map((name) => `a text for ${name}`),
  ];
}

export function flagsIn(help: string): string[] {
  return listed(help, "Options").flatMap((line) => line.match(/(?<![\w-])--?[a-zA-Z][\w-]*/g) ?? []);
}

/** The first column of a section of a help such as "Options:". */
function listed(help: string, title: string): string[] {
  const section = help.split("\n\n").find((part) => part.startsWith(`${title}:\n`)) ?? "";
  return [...section.matchAll(/^ {2}(\S.*?)(?: {2,}.*)?$/gm)].map(([, first = ""]) => first);
}
