import { expect, onTestFinished, test } from "vitest";
import { FakeService } from "../../ports/fake-service.contract.ts";
import { exchange } from "./exchange.ts";

async function started(): Promise<{ fake: FakeService; url: URL }> {
  const fake = new FakeService();
  onTestFinished(() => fake.stop());
  return { fake, url: new URL(await fake.start()) };
}
const { signal } = new AbortController();

test("what is posted arrives as bytes, with its headers", async () => {
  const { fake, url } = await started();
  fake.answer = (response) => response.writeHead(202, { "x-y": "z" }).end("grün");
  const reply = await exchange({ url, headers: { "x-a": "b" }, body: "schön 🙂" }, signal);
  expect(reply).toMatchObject({ status: 202, body: "grün", headers: { "x-y": "z" } });
  expect(fake.requests).toMatchObject([
    { body: "schön 🙂", headers: { "x-a": "b", "user-agent": "rollcall" } },
  ]);
});

test("of a reply 64 kB are read", async () => {
  const { fake, url } = await started();
  fake.answer = (response) => response.end("x".repeat(1_000_000));
  expect(await exchange({ url, body: "" }, signal)).toMatchObject({ status: 200, body: "x".repeat(65_536) });
});

test("a redirection is not followed, not even to the same host", async () => {
  const { fake, url } = await started();
  fake.answer = (response) => response.writeHead(307, { location: "/other" }).end();
  expect(await exchange({ url, body: "" }, signal)).toMatchObject({ status: 307 });
  expect(fake.requests).toHaveLength(1);
});

test("a reply that breaks off still has its status", async () => {
  const { fake, url } = await started();
  fake.answer = (response) => {
    response.writeHead(200, { "content-length": "100" }).write("half");
    response.socket?.end();
  };
  expect(await exchange({ url, body: "" }, signal)).toMatchObject({ status: 200, body: "half" });
});

test("nothing is begun once its time is over", async () => {
  const { fake, url } = await started();
  expect(await exchange({ url, body: "" }, AbortSignal.abort())).toEqual({ failure: "aborted" });
  expect(fake.requests).toEqual([]);
});
