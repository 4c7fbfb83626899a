import { describe, expect, it } from "vitest";
import { FakeForge } from "../../../test/fake-forge.ts";
import { CAPABILITIES, sayCapabilities } from "../../core/task/capabilities.ts";
import { madeUpTask, NOON } from "../../core/task/task.fixture.ts";
import type { Task } from "../../core/task/task.ts";
import { openForge } from "../../forges/registry.ts";
import { taskSourceContract } from "../../ports/task-source.contract.ts";
import { listedTasks } from "../kit/listed.ts";
import { written } from "../kit/tasks.fixture.ts";
import { forgeTasks } from "./index.ts";

async function started(kind: "gitea" | "github" = "gitea") {
  const server = await new FakeForge({ kind }).start();
  server.repoLabels.push({ id: 1, name: "bounty" });
  const settings = { kind, url: server.url, repo: "org/fleet", timeout: 2000, tokenEnv: "T" } as const;
  const forge = openForge(settings, server.token);
  const list = (abort = new AbortController().signal) => forgeTasks(forge, "bounty").list(abort);
  return { server, forge, list };
}

/** A task as an issue: what labels can say as labels, the rest in the block. */
function asIssue(task: Task) {
  const { capabilities: _, reward: __, ...rest } = JSON.parse(written(task)) as Record<string, unknown>;
  const named = sayCapabilities(task.capabilities).split(", ");
  const byName = named.every((name) => (CAPABILITIES as readonly string[]).includes(name));
  const caps = byName ? named.map((name) => `cap:${name.toLowerCase()}`) : [`cap:${task.capabilities}`];
  return {
    title: "a task",
    body: `Please do this.\r\n\r\n\`\`\`task\r\n${JSON.stringify(rest)}\r\n\`\`\`\r\nThanks`,
    labels: ["bounty", ...caps, `reward:${task.reward}`],
  };
}

for (const kind of ["gitea", "github"] as const) {
  taskSourceContract(`issues of ${kind}`, async () => {
    const { server, forge } = await started(kind);
    return {
      open: (me) => listedTasks(forgeTasks(forge, "bounty"), { me, now: () => NOON }),
      put: (tasks) => {
        server.heal();
        server.issues.splice(0);
        for (const task of tasks) server.addIssue(asIssue(task));
      },
      ruin: () => server.fail({ on: /./, how: { status: 500 } }),
    };
  });
}

describe("issues by label", () => {
  it("need nothing but labels", async () => {
    const { server, list } = await started();
    server.addIssue({ title: "no task", labels: ["bug"] });
    server.addIssue({
      title: "Label images",
      labels: ["bounty", "Cap:Compute", "cap:inference", "reward:5"],
    });
    server.addIssue({ title: "done", labels: ["bounty"], state: "closed" });
    server.addIssue({ title: "for nothing", labels: ["bounty"] });
    expect(await list()).toEqual([
      madeUpTask("2", { creator: "forge", description: "Label images", capabilities: 3n, reward: 5n }),
      madeUpTask("4", { creator: "forge", description: "for nothing", capabilities: 0n, reward: 0n }),
    ]);
  });

  it.each<[string, object, string]>([
    ["an unknown capability", { labels: ["cap:compote"] }, 'label cap:compote: expected "COMPUTE"'],
    ["a reward that is none", { labels: ["reward:five"] }, "label reward:five: expected a whole number"],
    ["two rewards", { labels: ["reward:5", "reward:6"] }, "expected one label reward"],
    ["a block that is no JSON", { body: "```task\nx\n```" }, "block task: expected JSON"],
    ["a block that is a list", { body: "```task\n[]\n```" }, "block task: expected an object"],
    ["a reward in the block", { body: '```task\n{"reward": 9}\n```' }, "expected capabilities and reward as"],
    ["a key that is none", { body: '```task\n{"dedline": 9}\n```' }, 'did you mean "deadline"?'],
    [
      "an id of another",
      { body: '```task\n{"id": 1}\n```' },
      "an id that is used once, not that of issue #1",
    ],
  ])(
    "with %s are an error that names the issue",
    async (_, { labels = [], ...more }: { labels?: string[] }, words) => {
      const { server, list } = await started();
      server.addIssue({ labels: ["bounty"] });
      server.addIssue({ labels: ["bounty", ...labels], ...more });
      const failed = await list().catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: "bad-task", message: expect.stringContaining(words) });
      expect((failed as Error).message).toMatch(/^gitea org\/fleet at http.*: issue #2: /);
    },
  );

  it.each([
    [{ status: 401 }, "refused"],
    [{ status: 500 }, "unavailable"],
    [{ status: 429, headers: { "retry-after": "60" } }, "limited"],
    ["reset", "unavailable"],
  ] as const)("of a forge that fails are an error: %j", async (how, code) => {
    const { server, list } = await started();
    server.fail({ on: /./, how });
    await expect(list()).rejects.toMatchObject({ name: "TaskSourceError", code });
  });

  it("stop while the forge hangs", async () => {
    const { server, list } = await started();
    server.fail({ on: /./, how: "hang" });
    const stop = new AbortController();
    const came = server.came(/./);
    const listed = list(stop.signal);
    await came;
    stop.abort();
    await expect(listed).rejects.toMatchObject({ code: "aborted" });
  });

  it("without a forge say why", async () => {
    const source = forgeTasks({ problem: "there is no token in the file x" }, "bounty");
    await expect(source.list(new AbortController().signal)).rejects.toMatchObject({
      code: "no-token",
      message: "there is no token in the file x",
    });
  });
});
