import { expect, it } from "vitest";
import { fileLog } from "./log.ts";

it("a log on a full disk loses its lines and ends nothing", () => {
  const { log, close } = fileLog("/dev/full");
  for (let n = 0; n < 100; n++) expect(() => log.warn({ n }, "a line")).not.toThrow();
  close();
  expect(() => log.warn({}, "after the end")).not.toThrow();
});
