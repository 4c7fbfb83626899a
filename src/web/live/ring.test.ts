import { describe, expect, it } from "vitest";
import { Ring } from "./ring.ts";

describe("the ring of events", () => {
  it("gives what came after an id, in order", () => {
    const ring = new Ring("a");
    ring.add("x", "1");
    const id = ring.last;
    const [second, third] = [ring.add("x", "2"), ring.add("y", "3")];
    expect(second).toBe("id: a-2\nevent: x\ndata: 2\n\n");
    expect(ring.after(id)).toBe(second + third);
    expect(ring.after(ring.last)).toBe("");
  });

  it.each(["b-1", "a-99", "nonsense", "", "a-"])("does not know what came after %j", (id) => {
    const ring = new Ring("a");
    ring.add("x", "1");
    ring.forget();
    expect(ring.after(id)).toBeUndefined();
  });

  it("forgets the oldest when it holds too much, and says so", () => {
    const ring = new Ring("a");
    ring.add("x", "1");
    const id = ring.last;
    for (let i = 0; i < 5; i++) ring.add("x", "z".repeat(1024 * 1024));
    expect(ring.after(id)).toBeUndefined();
    expect(ring.after("a-5")).toContain("id: a-6");
  });

  it("lets nobody go on over a gap", () => {
    const ring = new Ring("a");
    ring.add("x", "1");
    const id = ring.last;
    ring.forget();
    ring.add("x", "2");
    expect(ring.after(id)).toBeUndefined();
  });
});
