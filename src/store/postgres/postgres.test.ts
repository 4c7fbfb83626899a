import { afterAll, beforeAll, describe } from "vitest";
import { storeContract } from "../../ports/store.contract.ts";
import type { Store } from "../../ports/store.ts";
import { openPostgres } from "./index.ts";
import { type TestServer, testServer, whyNoServer } from "./server.fixture.ts";

const why = whyNoServer();

describe.skipIf(why !== undefined)(`PostgreSQL${why === undefined ? "" : ` (skipped: ${why})`}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer();
  });
  afterAll(() => server.stop());

  const open = async (url: string): Promise<Store> => (await openPostgres({ url, owner: "test" })) as Store;

  storeContract("postgres", async () => {
    const url = await server.schema();
    return { store: await open(url), reopen: () => open(url) };
  });
});
