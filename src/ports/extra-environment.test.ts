import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as z from "zod";
import { extraEnvironment } from "./extra-environment.ts";

const settings = z.strictObject(extraEnvironment);

it("takes names and texts", () => {
  const given = { env: { MODE: "x", EMPTY: "" }, passEnv: ["GITEA_TOKEN"] };
  expect(settings.parse(given)).toEqual(given);
  expect(settings.parse({})).toEqual({});
});

it.each<[string, unknown, string]>([
  ["a name that is none", { passEnv: ["GITEA TOKEN"] }, "the name of an environment variable"],
  ["an assignment instead of a name", { passEnv: ["A=b"] }, "the name of an environment variable"],
  ["a name instead of a list", { passEnv: "GITEA_TOKEN" }, "a list of names"],
  ["a number as a value", { env: { PORT: 80 } }, "a number needs quotes"],
  ["a list instead of a mapping", { env: ["A=b"] }, "a mapping of names"],
  ["a value that no environment can hold", { env: { A: "a\0b" } }, "text without a NUL"],
])("refuses %s", (_, given, expected) => {
  expect(settings.safeParse(given).error?.issues[0]?.message).toContain(expected);
});

it("guards every program that the daemon starts", () => {
  const root = new URL("../", import.meta.url).pathname;
  const sources = readdirSync(root, { encoding: "utf8", recursive: true }).filter(
    (file) =>
      file.endsWith(".ts") && !/\.(test|fixture|contract)\.ts$/.test(file) && !file.startsWith("system/"),
  );
  const unguarded = sources.filter((file) => {
    const text = readFileSync(`${root}${file}`, "utf8");
    const starts = /import [^;]*\b(run|runNow|startGroup)\b[^;]* from "[./]+system\/exec.ts"/.test(text);
    return starts && !text.includes("environmentFor(");
  });
  // These run in commands of a person, with that person's environment, or get theirs from elsewhere.
  expect(unguarded.sort()).toEqual([
    "app/manager.ts",
    "cli/commands/init-offers.ts",
    "cli/commands/open.ts",
    "features/ticks/probe.ts",
    "features/ticks/push.ts",
    "recoveries/restart/pane.ts",
    "tools/connect/clients.ts",
    "tools/demo/stage.ts",
    "tools/doctor/host.ts",
    "tools/install/crontab.ts",
    "tools/install/systemd.ts",
    "tools/run/run.ts",
  ]);
});
