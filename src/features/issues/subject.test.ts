import { describe, expect, it } from "vitest";
import type { Incident } from "../../core/incident/incident.ts";
import { draftOf } from "../../core/rca/issue.ts";
import { madeUpIncident, T0 } from "./forge.fixture.ts";
import { incidentSubject } from "./subject.ts";

describe("the root-cause issue of an incident", () => {
  it.each<[Partial<Incident>, string, string]>([
    [{}, "SILENT", "allegro fell silent (2026-04-04)"],
    [{ reason: "exited" }, "CRASH", "allegro crashed (2026-04-04)"],
    [{ reason: "orphan" }, "CRASH", "allegro crashed (2026-04-04)"],
    [{ reason: "never-heard" }, "NEVER_HEARD", "allegro was never heard (2026-04-04)"],
    [{ reason: "did-not-wake" }, "DID_NOT_WAKE", "allegro did not wake (2026-04-04)"],
    [{ state: "stalled", reason: "looping" }, "STALL", "allegro stalled (2026-04-04)"],
    [{ state: "failing", reason: "says-error" }, "FAILING", "allegro reports errors (2026-04-04)"],
    [{ state: "waiting", reason: "login" }, "WAITING", "allegro waits for a human (2026-04-04)"],
    [{ state: "limited", reason: "limit" }, "LIMITED", "allegro is at a limit (2026-04-04)"],
    [{ subject: "bot@web1", host: "web1", reason: "exited" }, "CRASH", "bot on web1 crashed (2026-04-04)"],
    [
      { subject: "rollcall@web1", state: "unknown", reason: "host-out-of-contact" },
      "HOST_OUT_OF_CONTACT",
      "host web1 is out of contact (2026-04-04)",
    ],
    [
      { kind: "group", subject: "web", reason: "group-silent", members: ["a", "b"] },
      "GROUP_SILENT",
      "the agents of web fell silent at once (2026-04-04)",
    ],
  ])("%j is %s: %s", (more, type, title) => {
    expect(incidentSubject(madeUpIncident(more))).toMatchObject({ type, title: `RCA-AGENT: ${title}` });
  });

  it("names the host of an agent that another host judges", () => {
    const far = draftOf(incidentSubject(madeUpIncident({ subject: "bot@web1", host: "web1" }))).body;
    expect(far).toContain("**Host**: `web1`");
    expect(draftOf(incidentSubject(madeUpIncident({}))).body).not.toContain("**Host**");
  });

  it("names the incident, why, since when, and everything that was found", () => {
    const items = ["verdict", "screen", "log", "cycle", "flips", "host"].map((title) => ({
      title,
      text: `text of the ${title}`,
    }));
    const { body, marker } = draftOf(incidentSubject(madeUpIncident({ findings: { at: T0, items } })));
    expect(marker).toBe("<!-- rollcall:allegro-mm8ws3v4 -->");
    for (const words of [
      "rollcall incidents show allegro-mm8ws3v4",
      "`dead (no-beat)`",
      "2026-04-04T18:00:00",
    ])
      expect(body).toContain(words);
    for (const { title, text } of items) {
      expect(body).toContain(title);
      expect(body).toContain(text);
    }
  });

  it("lets nothing of an agent's text take effect, and no secret through", () => {
    const text =
      "</details> @everyone <!-- rollcall:other --> ghp_0123456789abcdefghijklmnopqrstuvwxyz hunter22";
    const why = "@root <img src=x> hunter22";
    const incident = madeUpIncident({ why, findings: { at: T0, items: [{ title: "<b>@x</b>", text }] } });
    const { body } = draftOf(incidentSubject(incident), { secrets: ["hunter22"] });
    expect(body).not.toContain("hunter22");
    expect(body).not.toContain("ghp_0123456789");
    expect(body).not.toContain("<!-- rollcall:other");
    expect(body).not.toContain("<b>");
    expect(body.match(/<details>/g)).toHaveLength(1);
  });
});
