import { expect, it } from "vitest";
import { FakeForge } from "../../../test/fake-forge.ts";
import { draftOf } from "../../core/rca/issue.ts";
import { forgeContract } from "../../ports/forge.contract.ts";
import { github } from "./index.ts";

async function started() {
  const server = await new FakeForge({ kind: "github" }).start();
  const withToken = (token: string, timeout = 30_000) =>
    github({ api: `${server.url}/api/v3`, repo: "org/fleet", token, timeout });
  return { server, withToken, token: server.token, forge: withToken(server.token) };
}

forgeContract("github", started);

const draft = draftOf({
  ...{ agent: "a", type: "CRASH", title: "t", key: "k", detectedAt: 0, expected: "" },
  ...{ actual: [], evidence: [], resources: [] },
});

it("goes on if somebody else makes a label at the same time", async () => {
  const { forge, server } = await started();
  server.fail({ on: /^POST .*\/labels$/, how: { status: 422 }, times: 1 });
  expect(await forge.file(draft)).toMatchObject({ outcome: "created" });
});
