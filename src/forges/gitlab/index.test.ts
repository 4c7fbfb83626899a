import { expect, it } from "vitest";
import type { FakeForgeOptions } from "../../../test/fake-forge.ts";
import { FakeGitLab } from "../../../test/fake-gitlab.ts";
import { draftOf } from "../../core/rca/issue.ts";
import { forgeContract } from "../../ports/forge.contract.ts";
import { gitlab } from "./index.ts";

async function started(more: Partial<FakeForgeOptions> = {}) {
  const server = await new FakeGitLab(more).start();
  const withToken = (token: string, timeout = 30_000) =>
    gitlab({ api: `${server.url}/api/v4`, repo: "org/fleet", token, timeout });
  return { server, withToken, token: server.token, forge: withToken(server.token) };
}

forgeContract("gitlab", () => started({ page: 7 }));

const draft = draftOf({
  ...{ agent: "a", type: "CRASH", title: "t", key: "k", detectedAt: 0, expected: "" },
  ...{ actual: [], evidence: [], resources: [] },
});

it("goes on if somebody else makes a label at the same time", async () => {
  const { forge, server } = await started();
  server.fail({ on: /^POST .*\/labels$/, how: { status: 409 }, times: 1 });
  expect(await forge.file(draft)).toMatchObject({ outcome: "created" });
});

it("reads a project in groups within groups", async () => {
  const { server } = await started();
  const deep = { api: `${server.url}/api/v4`, repo: "org/sub/fleet", token: server.token, timeout: 1000 };
  expect(await gitlab(deep).read(1)).toMatchObject({ outcome: "refused" });
  expect(server.requests).toEqual(["GET /projects/org%2Fsub%2Ffleet/issues/1"]);
});

it("says what GitLab says is wrong with a field", async () => {
  const { forge, server } = await started();
  server.fail({ on: /^POST .*\/issues$/, how: { status: 400, says: { title: ["is too long"] } } });
  expect(await forge.file(draft)).toEqual({
    outcome: "refused",
    problem:
      'could not create the issue: the forge does not take the request (400): {"title":["is too long"]}',
  });
});
