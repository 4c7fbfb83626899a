// Names that stand in the text of the product: variables of the environment, and flags of npm scripts.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Variables: our own, those that are read by `env.NAME`, and those of others that stand in a list of names. */
const OURS = /\bROLLCALL_[A-Z_]+\b/g;
const READ = /(?<=\benv\??\.)[A-Z][A-Z0-9_]+\b/g;
const OTHERS = /\b(?:GITEA|GITHUB|GITLAB|TELEGRAM|NOTIFY|WATCHDOG|SYSTEMD|XDG|TMUX)_[A-Z_]+\b/g;

/** Every variable that the sources name outside of comments, wherever they stand, and the shell program beside them. */
export function namesOfVariables(root: string): string[] {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/\.(test|contract|fixture)\.ts$|(^|\/)made-up[^/]*$/.test(file),
  );
  return [...sources.map((file) => join("src", file)), "bin/rollcall-beat"].flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "");
    return [OURS, READ, OTHERS].flatMap((names) => text.match(names) ?? []);
  });
}

/** Each npm script, with the flags that its program and what it bundles read by `parseArgs` or by name. */
export function namesOfScripts(root: string, scripts: Readonly<Record<string, string>>): string[] {
  return Object.entries(scripts).flatMap(([name, command]) => {
    const [file = "", first = ""] = /node (\S+)(?: (\w+))?/.exec(command)?.slice(1) ?? [];
    if (file === "") return [name];
    const script = readFileSync(join(root, file), "utf8");
    const main = /"([\w/-]+\/main\.ts)"/.exec(script)?.[1] ?? `eval/${first}/main.ts`;
    const texts = [script, existsSync(join(root, main)) ? readFileSync(join(root, main), "utf8") : ""];
    const flags = texts.flatMap((text) => [
      ...[...text.matchAll(/(?:includes\(|[!=]== )"(--[a-z-]+)"/g)].map(([, flag]) => flag),
      ...[...text.matchAll(/"?([a-z-]+)"?: \{ type: "(?:string|boolean)"/g)].map(([, flag]) => `--${flag}`),
    ]);
    return [name, ...flags.map((flag) => `${name} ${flag}`)];
  });
}
