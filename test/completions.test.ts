// Completions in each shell that is here, and the manual pages.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, rollcall, root, runToEnd, temporaryHome } from "./product.ts";

const has = (program: string) => spawnSync("which", [program]).status === 0;

/** How each shell is asked what it would offer for a line. */
const SHELLS: Readonly<Record<string, (line: string) => readonly string[]>> = {
  bash: (line) => [
    "-c",
    `source <(rollcall completions bash); COMP_WORDS=(${line} ""); [[ "${line}" == *" " ]] || unset 'COMP_WORDS[-1]'
     COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _rollcall; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (line) => [
    "-f",
    "-c",
    `compdef() { }; _describe() { print -l -- \${\${(P)2}%%:*} }; _files() { }
     source <(rollcall completions zsh); words=(${line}); [[ "${line}" == *" " ]] && words+=(""); CURRENT=\${#words}; _rollcall`,
  ],
  fish: (line) => [
    "-c",
    `source (rollcall completions fish | psub); complete -C "${line}" | string replace -r '\\t.*' ''`,
  ],
};

describe.each(Object.keys(SHELLS))("%s", (shell) => {
  it.runIf(has(shell))("completes commands, options, states and the ids of agents", async () => {
    const home = temporaryHome();
    await cli(home, "beat", "allegro");
    await cli(home, "beat", "other");
    writeFileSync(join(home, "rollcall"), `#!/bin/sh\nexec ${process.execPath} ${rollcall} "$@"\n`);
    chmodSync(join(home, "rollcall"), 0o755);
    const env = { ROLLCALL_HOME: home, PATH: `${home}:${process.env.PATH}`, HOME: home };
    const offered = async (line: string) => {
      const { stdout } = await runToEnd(shell, SHELLS[shell]?.(line) ?? [], env);
      return stdout.split("\n").filter((word) => word !== "");
    };
    expect(await offered("rollcall sta")).toEqual(["status"]);
    expect(await offered("rollcall check al")).toEqual(["allegro"]);
    expect(await offered("rollcall check ")).toEqual(["allegro", "other"]);
    expect(await offered("rollcall agents pa")).toEqual(["pause"]);
    expect(await offered("rollcall agents pause o")).toEqual(["other"]);
    const { stdout: muted } = await cli(home, "silence", "add", "--agent", "other", "--for", "1h", "--json");
    const { silence } = JSON.parse(muted) as { silence: { id: string } };
    expect(await offered("rollcall silence end ")).toEqual([silence.id]);
    expect(await cli(home, "__complete", "incidents", "ack", "")).toMatchObject({ stdout: "" });
    expect((await cli(home, "silence", "end", "nobody")).stderr).toContain(
      "`rollcall silence list` shows them",
    );
    expect((await cli(home, "explain", "other")).stdout).toMatch(/Alerts about it are muted until .*, by /);
    expect(await offered("rollcall status --so")).toEqual(["--sort"]);
    expect(await offered("rollcall status --state wai")).toEqual(["waiting"]);
  });
});

it("puts manual pages for every command into the package", async () => {
  const page = readFileSync(join(root, "dist/man/rollcall.1"), "utf8");
  expect(page).toContain(".SS rollcall silence add");
  expect(page).toContain(".SS rollcall top");
  expect(readFileSync(join(root, "dist/man/rollcall-beat.1"), "utf8")).toContain("\\-\\-cycle");
  const { man } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { man: readonly string[] };
  expect(man.every((file) => existsSync(join(root, file)))).toBe(true);
});

it.each(["rollcall.1", "rollcall-beat.1"])("all help in %s fits 80 columns", (name) => {
  const page = readFileSync(join(root, "dist/man", name), "utf8");
  const lines = page.replaceAll("\\-", "-").replaceAll("\\e", "\\").replaceAll("\\&", "").split("\n");
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
});

it("lists in the help, without loading them, the same commands as the manual page", async () => {
  const page = readFileSync(join(root, "dist/man/rollcall.1"), "utf8");
  const [, whole = ""] = /\.SH DESCRIPTION\n\.nf\n(.*?)\n\.fi/s.exec(page) ?? [];
  const { stdout } = await cli(temporaryHome(), "--help");
  expect(whole.replaceAll("\\-", "-").replaceAll("\\e", "\\")).toBe(stdout.trimEnd());
  expect(existsSync(join(root, "dist/commands.json"))).toBe(true);
});
