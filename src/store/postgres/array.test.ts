import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { arrayOf } from "./array.ts";
import { type TestServer, testServer, whyNoServer } from "./server.fixture.ts";

describe.skipIf(whyNoServer() !== undefined)("an array for PostgreSQL", () => {
  let server: TestServer;
  let client: pg.Client;
  beforeAll(async () => {
    server = await testServer();
    client = new pg.Client({ connectionString: await server.schema() });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await server.stop();
  });

  it.each([
    ["text", ["", "a", null, 'quotes " \\ {,} NULL', "tab\tline\nDLE\x10", "ü 🫀 漢", "x".repeat(100_000)]],
    ["text", []],
    ["text", [null]],
    ["float8", [0, -1.5, null, 1e21, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER]],
    ["int8", [0, null, -(2 ** 40), Number.MAX_SAFE_INTEGER]],
    ["int4", [0, null, -(2 ** 31), 2 ** 31 - 1]],
    ["int2", [1, 0, null, -1]],
  ] as const)("of %s arrives as it was: %j", async (type, values) => {
    const text = `SELECT value::text FROM unnest($1::${type}[]) WITH ORDINALITY AS each(value, place) ORDER BY place`;
    const { rows } = await client.query({ text, values: [arrayOf(values, type)], rowMode: "array" });
    const there = rows.map(([value]) => (value === null || type === "text" ? value : Number(value)));
    expect(there).toStrictEqual([...values]);
  });
});
