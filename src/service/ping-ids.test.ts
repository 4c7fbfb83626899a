import { describe, expect, it } from "vitest";
import { PingIds, pingUuidOf } from "./ping-ids.ts";

describe("ping UUIDs", () => {
  it("are UUIDs, the same at all times, and others with another secret or agent", () => {
    const uuid = pingUuidOf("secret", "allegro");
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(pingUuidOf("secret", "allegro")).toBe(uuid);
    expect(pingUuidOf("other", "allegro")).not.toBe(uuid);
    expect(pingUuidOf("secret", "adagio")).not.toBe(uuid);
  });

  it("find their agent, also one that joined later, and not one that left", async () => {
    const roll = ["allegro"];
    const ids = new PingIds("secret", () => roll);
    const adagio = pingUuidOf("secret", "adagio");
    expect(await ids.agentOf(pingUuidOf("secret", "allegro"))).toBe("allegro");
    expect(await ids.agentOf(adagio)).toBeUndefined();
    roll.push("adagio");
    ids.changed();
    expect(await ids.agentOf(adagio)).toBe("adagio");
    roll.pop();
    ids.changed(["adagio"]);
    expect(await ids.agentOf(adagio)).toBeUndefined();
  });
});
