import { describe, expect, it } from "vitest";
import { type Config, defaultConfig } from "../config/load.ts";
import { Reloader, type ReloadPart, TAKEN } from "./reload.ts";

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const NAMES = Object.keys(TAKEN) as (keyof typeof TAKEN)[];

/** A reloader whose parts note what becomes of them; one of them refuses, or cannot be stored. */
function reloading(wrong: { readonly refuses?: string; readonly unstored?: boolean } = {}) {
  const did: string[] = [];
  const first = defaultConfig();
  const next: Config = { ...first, names: ["roll.example.org"] };
  const notifier = { reloading: async () => {}, ready: async () => void did.push("ready") };
  const reloader = new Reloader(first, { read: async () => next, notifier, log: SILENT, now: () => 0 });
  const parts = NAMES.map((name): [string, ReloadPart] => [
    name,
    {
      async prepare() {
        if (name === wrong.refuses) throw new Error(`${name} refuses`);
        did.push("prepared");
        return async () => {
          if (name === "fleet" && wrong.unstored === true) throw new Error("disk full");
          did.push(`applied ${name}`);
        };
      },
    },
  ]);
  reloader.begin({
    parts: Object.fromEntries(parts) as Record<keyof typeof TAKEN, ReloadPart>,
    status: () => "",
    tellRefusal: () => {},
    reloaded: () => {},
  });
  return { reloader, did, first, next };
}

describe("a reload", () => {
  it("prepares every part before it applies the first, and the fleet is the first", async () => {
    const { reloader, did, next } = reloading();
    await reloader.reload(false);
    const all = NAMES.length;
    expect(did.slice(0, all)).toEqual(NAMES.map(() => "prepared"));
    expect(did[all]).toBe("applied fleet");
    expect(did.slice(all, -1).sort()).toEqual(NAMES.map((name) => `applied ${name}`).sort());
    expect(reloader.inForce.config).toMatchObject({ names: next.names });
  });

  it.each(NAMES)("that %s refuses changes nothing", async (refuses) => {
    const { reloader, did, first } = reloading({ refuses });
    await expect(reloader.reload(false)).rejects.toThrow(`${refuses} refuses`);
    expect(did.filter((what) => what !== "prepared")).toEqual(["ready"]);
    expect(reloader.inForce.config).toBe(first);
  });

  it("that cannot be stored changes nothing", async () => {
    const { reloader, did, first } = reloading({ unstored: true });
    await expect(reloader.reload(false)).rejects.toThrow("disk full");
    expect(did.filter((what) => what !== "prepared")).toEqual(["ready"]);
    expect(reloader.inForce.config).toBe(first);
  });
});
