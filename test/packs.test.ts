// Rules of the user's own for reading screens: the example of the docs, with a real daemon and a real log.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentOf, cli, daemon, root, temporaryHome, until } from "./product.ts";

const docs = readFileSync(join(root, "docs/signals.md"), "utf8");
const example = /```yaml\n(# packs\/deploy\.yaml\n[\s\S]*?)```/.exec(docs)?.[1] ?? "";
const held =
  "\x1b[?1049h\x1b[2J\x1b[HDEPLOY CONSOLE 3.1\r\n\r\nrelease 42 is built\r\ngate 3 of 5 is held\r\n";

it("a rule pack reads what no rule of ours knows, also on a screen that stands still; a bad one changes nothing", async () => {
  const home = temporaryHome();
  const [file, pack, log] = ["rollcall.yaml", "packs/deploy.yaml", "deploy.log"].map((name) =>
    join(home, name),
  ) as [string, string, string];
  const config = (packs: string) =>
    writeFileSync(
      file,
      `livenessInterval: 200ms\n${packs}agents:\n  - { id: deploy, log: { path: ${log} } }\n`,
    );
  mkdirSync(join(home, "packs"));
  writeFileSync(log, held);
  writeFileSync(pack, example);
  config("");
  const { url } = await daemon(home);
  const state = async () => (await agentOf(url, "deploy"))?.state;
  expect(await until(state, (now) => now !== "new")).not.toBe("waiting");

  config("packs: [packs/deploy.yaml]\n");
  expect(await cli(home, "daemon", "reload")).toMatchObject({ status: 0 });
  await until(state, (now) => now === "waiting");

  writeFileSync(pack, example.replace("says: waiting", "says: asking"));
  const refused = await cli(home, "daemon", "reload");
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain(
    `packs[0]: ${pack}: rule "held": says: expected one of shell, crash, waiting, login, limited, retrying, busy, tool, idle, agent, ignore, not "asking"`,
  );
  expect(await cli(home, "config", "check")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("held"),
  });
  expect(await state()).toBe("waiting");
});

it.each([
  ["is not there", undefined, "there is no such file"],
  ["is not YAML", "name: [", "Flow sequence"],
  [
    "has a pattern that is none",
    example.replace("match: '", "match: '(("),
    'rule "held": match: expected a regular expression',
  ],
  [
    "does not match its own example",
    example.replace("- 'gate 3 of 5 is held'", "- 'Shall we?'"),
    'matches its example "Shall we?"',
  ],
])("a pack that %s is a mistake in the config", async (_name, text, says) => {
  const home = temporaryHome("packs: [mine.yaml]\n");
  if (text !== undefined) writeFileSync(join(home, "mine.yaml"), text);
  const done = await cli(home, "config", "check");
  expect(done.status).toBe(1);
  expect(done.stderr).toContain(`packs[0]: ${join(home, "mine.yaml")}: `);
  expect(done.stderr).toContain(says);
  expect(done.stderr).not.toContain("    at ");
});
