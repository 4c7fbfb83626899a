import { describe, expect, it } from "vitest";
import type { AgentView } from "../api/shapes.ts";
import { isWrong, sayClock } from "./clock.ts";
import { contactOf, liveHosts } from "./contact.ts";

function known(...agents: Partial<AgentView>[]) {
  return new Map(agents.map((agent) => [agent.id ?? "", { agent: agent as AgentView }]));
}

const well = { origin: "host", state: "alive", reason: "beat", since: "1" } as const;
const lost = { origin: "host", state: "unknown", reason: "host-out-of-contact", since: "2" } as const;

describe("a host on the roll", () => {
  const agents = known(
    { id: "rollcall@web1", host: "web1", ...well },
    { id: "rollcall@web2", host: "web2", ...lost },
    { id: "bot@web1", host: "web1", ...well },
    { id: "tidy@web1", host: "web1", ...well, state: "dead" },
    { id: "own", host: "web1", ...well, origin: "beat" },
    { id: "rollcall@hub", host: "hub", ...well, origin: "beat" },
  );

  it.each([
    ["web1", { name: "web1" }],
    ["web2", { name: "web2", lostSince: "2" }],
    ["hub", undefined],
    ["elsewhere", undefined],
    [null, undefined],
  ])("%s is %j", (name, contact) => expect(contactOf(agents, name)).toEqual(contact));

  it("has the agents that it reports, and not the one that stands for it", () => {
    const live = liveHosts(agents);
    expect([...(live.agents.get("web1") ?? [])]).toEqual([
      ["alive", 1],
      ["dead", 1],
    ]);
    expect(live.agents.has("web2")).toBe(false);
    expect(live.flips).toBe("12");
  });
});

describe("a host's clock", () => {
  it.each([
    [null, "–", false],
    [1900, "right", false],
    [-59_000, "59 s fast", false],
    [61_000, "1 min 1 s slow", true],
    [-6 * 3_600_000, "6 h fast", true],
  ])("that is off by %s ms is %s", (offset, said, wrong) => {
    expect([sayClock(offset), isWrong(offset)]).toEqual([said, wrong]);
  });
});
