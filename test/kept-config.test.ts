// What a config says is kept in the home, so that the next command need not parse it.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cli, temporaryHome } from "./product.ts";

const names = async (home: string) => {
  const { stdout } = await cli(home, "status", "--json");
  return (JSON.parse(stdout) as { agents: { name: string }[] }).agents.map(({ name }) => name);
};
const named = (name: string) => `agents: [{ id: bot, name: ${name}, every: 1h }]\n`;

it("is parsed by the first command, and again only when its text is another", async () => {
  const home = temporaryHome(named("Allegro"));
  const [config, kept] = [join(home, "rollcall.yaml"), join(home, ".config-read")];
  expect(await names(home)).toEqual(["Allegro"]);
  expect(statSync(kept).mode & 0o777).toBe(0o600);

  // The next command believes what is kept; of one agent it reads only that line.
  writeFileSync(kept, readFileSync(kept, "utf8").replace("Allegro", "Kept"));
  expect(await names(home)).toEqual(["Kept"]);
  expect(JSON.parse((await cli(home, "check", "bot", "--json")).stdout)).toMatchObject({ name: "Kept" });

  writeFileSync(config, named("Presto"));
  expect(await names(home)).toEqual(["Presto"]);

  writeFileSync(config, "agents: [{ id: bot, evry: 1h }]\n");
  expect((await cli(home, "status")).stderr).toContain("evry: unknown key");
  writeFileSync(config, named("Presto"));
  expect(await names(home)).toEqual(["Presto"]);
});

it("is not believed if others could have written it", async () => {
  const home = temporaryHome(named("Allegro"));
  const kept = join(home, ".config-read");
  await names(home);
  writeFileSync(kept, readFileSync(kept, "utf8").replace("Allegro", "Mallory"));
  chmodSync(kept, 0o620);
  expect(await names(home)).toEqual(["Allegro"]);
  writeFileSync(kept, "damaged");
  expect(await names(home)).toEqual(["Allegro"]);
});

it("is not kept by a command that only examines", async () => {
  const home = temporaryHome(named("Allegro"));
  await cli(home, "config", "check");
  await cli(home, "doctor");
  expect(existsSync(join(home, ".config-read"))).toBe(false);
});
