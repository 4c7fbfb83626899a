import { expect, it } from "vitest";
import { Closers } from "./closers.ts";

it("gives everything back, last taken first, whatever a part of it does, and then throws its problem", async () => {
  const held = new Closers();
  const given: string[] = [];
  held.add(() => void given.push("first"));
  held.add(() => {
    throw new Error("its folder is gone");
  });
  held.add(async () => void given.push("last"));
  await expect(held.release()).rejects.toThrow("its folder is gone");
  expect(given).toEqual(["last", "first"]);
});
