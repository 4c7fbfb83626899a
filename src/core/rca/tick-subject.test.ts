import { describe, expect, it } from "vitest";
import type { TickResult } from "../tick/check.ts";
import { draftOf } from "./issue.ts";
import { type TickScene, tickSubject } from "./tick-subject.ts";

const vitals = { gateway_running: true, home_directory_accessible: true, config_valid: false };
const scene: TickScene = {
  month: "2026-04",
  now: Date.parse("2026-05-02T12:00:00Z"),
  name: "Allegro",
  home: "/home/allegro",
  config: "config.yaml",
  file: "ticks/2026-04/allegro.json",
  lastTick: { file: "ticks/2026-03/allegro.json", url: "https://git.example/t/2026-03/allegro.json" },
};
const bodyOf = (result: TickResult, more: Partial<TickScene> = {}) => {
  const subject = tickSubject(result, { ...scene, ...more });
  if (subject === undefined) throw new Error("no failure");
  return draftOf(subject);
};

describe("the issue for a failed tick", () => {
  it.each<[TickResult, string, string]>([
    [
      { agent: "allegro", result: "missing" },
      "RCA-AGENT: allegro failed to submit monthly tick (2026-04)",
      "<!-- rollcall:allegro:2026-04:MISSING_TICK -->",
    ],
    [
      { agent: "allegro", result: "critical", tick: { status: "critical", vitals, capabilities: {} } },
      "RCA-AGENT: allegro reported critical status (2026-04)",
      "<!-- rollcall:allegro:2026-04:CRITICAL_STATUS -->",
    ],
    [
      { agent: "allegro", result: "offline", tick: { status: "offline", capabilities: {} } },
      "RCA-AGENT: allegro reported offline status (2026-04)",
      "<!-- rollcall:allegro:2026-04:OFFLINE -->",
    ],
    [
      { agent: "allegro", result: "invalid", problem: "it is not JSON" },
      "RCA-AGENT: allegro submitted an invalid monthly tick (2026-04)",
      "<!-- rollcall:allegro:2026-04:INVALID_TICK -->",
    ],
  ])("%j", (result, title, marker) => {
    expect(bodyOf(result)).toMatchObject({ title, marker });
  });

  it("says of a missing one what is missing, since when, and for how long in any month", () => {
    const { body } = bodyOf({ agent: "allegro", result: "missing" });
    expect(body).toContain(`- **Tick**: \`not submitted\`
- **Expected by**: \`2026-04-04T00:00:00.000Z\`
- **Today**: \`2026-05-02T12:00:00.000Z\`
- **Days overdue**: \`29\``);
    expect(body).toContain(`- **Agent home**: \`/home/allegro\`
- **Config**: \`config.yaml\`
- **Last tick**: \`ticks/2026-03/allegro.json\` ([open](<https://git.example/t/2026-03/allegro.json>))
- **Tick file**: \`ticks/2026-04/allegro.json\``);
  });

  it("says of a critical one each vital and the capabilities lost, and shows it", () => {
    const tick = { status: "critical", vitals, capabilities: { mail: false, search: true } } as const;
    const { body } = bodyOf({ agent: "allegro", result: "critical", tick }, { text: '{"token": "s3cr3t"}' });
    expect(body).toContain(`- **gateway_running**: \`ok\`
- **home_directory_accessible**: \`ok\`
- **config_valid**: \`FAILED\`
- **Capabilities lost**: \`mail\``);
    expect(body).toContain('{"token": [redacted]}');
  });

  it("says of an offline one that it could not be reached", () => {
    const { body } = bodyOf({
      agent: "allegro",
      result: "offline",
      tick: { status: "offline", capabilities: {} },
    });
    expect(body).toContain("- **Agent**: `not reachable in the window`");
  });

  it("is not there for what did not fail", () => {
    const tick = { status: "degraded", vitals, capabilities: {} } as const;
    expect(tickSubject({ agent: "a", result: "degraded", tick }, scene)).toBeUndefined();
    expect(tickSubject({ agent: "a", result: "not-due", until: "" }, scene)).toBeUndefined();
  });
});
