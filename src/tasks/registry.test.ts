import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { madeUpTask } from "../core/task/task.fixture.ts";
import { serveTasks, temporaryFolder, written } from "./kit/tasks.fixture.ts";
import { openTaskSource } from "./registry.ts";
import { taskSourceSettings } from "./settings.ts";

function homes() {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const [home, user] = [join(folder, "rollcall"), join(folder, "user")];
  mkdirSync(home);
  mkdirSync(user);
  return { home, user, env: { HOME: user, T: "from-env" } };
}
const patience = () => new AbortController().signal;
const list = `[${written(madeUpTask("1"))}]`;

describe("the task source of a config", () => {
  it("is tasks.json in the home unless it says otherwise, and where that is missing there is no source", async () => {
    const { home, env } = homes();
    const source = openTaskSource(taskSourceSettings.parse({}), { home, env, me: undefined });
    await expect(source.claimable(patience())).rejects.toMatchObject({
      code: "no-source",
      message: expect.stringContaining(join(home, "tasks.json")),
    });
    writeFileSync(join(home, "tasks.json"), list);
    expect(await source.claimable(patience())).toEqual([madeUpTask("1")]);
  });

  it("is a file in the user's home, in Rollcall's or anywhere", async () => {
    const { home, user, env } = homes();
    for (const [path, file] of [
      ["~/mine.json", join(user, "mine.json")],
      ["sub/../mine.json", join(home, "mine.json")],
      [join(user, "absolute.json"), join(user, "absolute.json")],
    ] as const) {
      writeFileSync(file, list);
      const source = openTaskSource(taskSourceSettings.parse({ file: { path } }), { home, env, me: "me" });
      expect(await source.claimable(patience())).toHaveLength(1);
    }
  });

  it("is a server, with the token from where the config says", async () => {
    const { home, env } = homes();
    const server = await serveTasks((_, response) => response.end(list));
    onTestFinished(() => server.stop());
    writeFileSync(join(home, "token"), "from-file\n");
    for (const token of [{ tokenEnv: "T" }, { tokenFile: "token" }, {}]) {
      const settings = taskSourceSettings.parse({ http: { url: server.origin, ...token } });
      expect(await openTaskSource(settings, { home, env, me: "me" }).claimable(patience())).toHaveLength(1);
    }
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer from-env",
      "Bearer from-file",
      undefined,
    ]);
  });
});
