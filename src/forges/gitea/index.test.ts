import { expect, it } from "vitest";
import { FakeForge, type FakeForgeOptions } from "../../../test/fake-forge.ts";
import { draftOf } from "../../core/rca/issue.ts";
import { forgeContract } from "../../ports/forge.contract.ts";
import { gitea } from "./index.ts";

async function started(more: Partial<FakeForgeOptions> = {}) {
  const server = await new FakeForge({ kind: "gitea", ...more }).start();
  const withToken = (token: string, timeout = 30_000) =>
    gitea({ api: `${server.url}/api/v1`, repo: "org/fleet", token, timeout });
  return { server, withToken, token: server.token, forge: withToken(server.token) };
}

forgeContract("gitea", () => started());
forgeContract("gitea with a person's repository and small pages", () => started({ personal: true, page: 7 }));

const draft = draftOf({
  ...{ agent: "a", type: "CRASH", title: "t", key: "k", detectedAt: 0, expected: "" },
  ...{ actual: [], evidence: [], resources: [] },
});

it("uses the labels of the organisation, and makes only those that are missing", async () => {
  const { forge, server } = await started();
  server.orgLabels.push({ id: 7, name: "agent-health" }, { id: 8, name: "auto-generated" });
  for (let i = 0; i < 70; i += 1) server.repoLabels.push({ id: 1000 + i, name: `label ${i}` });
  expect(await forge.file(draft)).toMatchObject({ outcome: "created" });
  expect(server.count(/^POST .*\/labels$/)).toBe(1);
  expect(server.issues[0]?.labels.sort()).toEqual(["agent-health", "auto-generated", "rca-required"]);
  expect(await forge.file(draft)).toMatchObject({ outcome: "found" });
});

it("prefers the labels of the repository, by which issues are found", async () => {
  const { forge, server } = await started();
  server.orgLabels.push({ id: 7, name: "auto-generated" });
  server.repoLabels.push({ id: 9, name: "auto-generated" });
  expect(await forge.file(draft)).toMatchObject({ outcome: "created" });
  expect(await forge.file(draft)).toMatchObject({ outcome: "found" });
});

it("is refused by the server if it were to send names", async () => {
  const { server } = await started();
  const reply = await fetch(`${server.url}/api/v1/repos/org/fleet/issues`, {
    method: "POST",
    headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "t", body: "b", labels: ["auto-generated"] }),
  });
  expect(reply.status).toBe(422);
});
