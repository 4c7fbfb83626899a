import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { type SecretDeps, secretReader, withoutSecrets } from "./secret.ts";

const means = (
  env: SecretDeps["env"],
  read: SecretDeps["readFile"] = (path) => readFile(path, "utf8"),
): SecretDeps => ({
  env,
  readFile: read,
});

test("a secret is read anew each time, without the line end that editors leave", async () => {
  const env: Record<string, string> = {};
  const read = secretReader({ env: "TOKEN" }, means(env));
  expect(await read()).toEqual({
    place: "TOKEN",
    problem: "TOKEN is not set: put the secret into this environment variable of the daemon",
  });
  env.TOKEN = " t0ken\n";
  expect(await read()).toEqual({ place: "TOKEN", value: "t0ken" });
});

test.each([
  ["t0ken\n", { place: "/run/t", value: "t0ken" }],
  [" \n", { place: "/run/t", problem: "/run/t is empty: put the secret into it" }],
])("a file that holds %j", async (text, found) => {
  expect(
    await secretReader(
      { file: "/run/t" },
      means({}, () => Promise.resolve(text)),
    )(),
  ).toEqual(found);
});

test("a file that is not there is a problem that names it", async () => {
  expect(await secretReader({ file: "/no/such/file" }, means({}))()).toEqual({
    place: "/no/such/file",
    problem: "/no/such/file cannot be read (ENOENT): put the secret into this file",
  });
});

test.each([
  ["bad token 123456:AbCdEf-9", ["123456:AbCdEf-9"], "bad token …"],
  [
    "POST /services/T01/s3cretPart failed",
    ["https://hooks.example/services/T01/s3cretPart"],
    "POST /…/T01/… failed",
  ],
  ["p%40ss%2Fword", ["p@ss/word"], "…"],
  [`Basic ${Buffer.from("p@ss/word").toString("base64")}`, ["p@ss/word"], "Basic …"],
  ["pw is x1", ["x1"], "pw is …"],
  ["nothing", [""], "nothing"],
])("%j without %j is %j", (text, secrets, left) => {
  expect(withoutSecrets(text, secrets)).toBe(left);
});
