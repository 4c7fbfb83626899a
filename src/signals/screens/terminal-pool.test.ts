import { expect, test } from "vitest";
import { TerminalPool } from "./terminal-pool.ts";

test("whoever was fed longest ago gives its terminal up", () => {
  const dropped: string[] = [];
  const pool = new TerminalPool(2);
  const holder = (name: string) => ({ drop: () => dropped.push(name) });
  const [a, b, c] = [holder("a"), holder("b"), holder("c")];
  pool.fed(a);
  pool.fed(b);
  pool.fed(a);
  pool.fed(c);
  expect(dropped).toEqual(["b"]);
  pool.gone(a);
  pool.fed(b);
  expect(dropped).toEqual(["b"]);
  expect(pool.size).toBe(2);
});
