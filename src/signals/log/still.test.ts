import { describe, expect, it } from "vitest";
import type { FileStat } from "../../system/stat-files.ts";
import { StillLogs } from "./still.ts";

const known = (size: number) => ({
  ...{ path: "", dev: 1, ino: 2, size, modifiedAt: 5000, grewAt: 0, seenAt: 0, offset: 0, mark: "" },
});

function world() {
  const sizes = new Map<string, number>();
  let version: number | undefined = 1;
  const files = {
    version: () => version,
    isLocal: async () => true,
    read: () => undefined,
    stat: (path: string): FileStat | undefined => {
      const size = sizes.get(path);
      if (size === undefined) return undefined;
      return { dev: 1, ino: 2, size, mtimeMs: 5000.7, isFile: () => true, isDirectory: () => false };
    },
  };
  const stills = new StillLogs();
  const keep = (path: string, size: number) => {
    sizes.set(path, size);
    return stills.keep(known(size), { path, version: 1, files });
  };
  return {
    ...{ stills, sizes, keep },
    mount: (now?: number) => {
      version = now;
    },
  };
}

describe("logs that rest", () => {
  it("are told apart, however many there are and whoever left before", () => {
    const { stills, sizes, keep } = world();
    const slots = Array.from({ length: 1000 }, (_, i) => keep(`log ${i}`, i));
    for (const slot of slots.slice(0, 500)) stills.release(slot);
    const again = Array.from({ length: 700 }, (_, i) => keep(`other ${i}`, 10_000 + i));
    sizes.set("log 700", 1);
    sizes.delete("other 3");
    const moved = [...slots.slice(500), ...again].filter((slot) => !stills.isStill(slot, 0));
    expect(moved).toEqual([slots[700], again[3]]);
  });

  it("are asked for no more when something was mounted, or that cannot be known", () => {
    const { stills, keep, mount } = world();
    const slot = keep("log", 7);
    expect(stills.isStill(slot, 0)).toBe(true);
    mount(2);
    expect(stills.isStill(slot, 0)).toBe(false);
    mount();
    expect(stills.isStill(slot, 0)).toBe(false);
  });
});
