import { describe, expect, it } from "vitest";
import { MINUTE } from "../duration.ts";
import { type Episode, episodeOf, withEpisode as incidentAfter } from "./episode.ts";
import type { Incident } from "./incident.ts";

const T = 1_000_000_000;
const episode: Episode = {
  ...{ id: "bot-1@web1", kind: "agent", subject: "bot@web1", group: "default", host: "web1" },
  ...{ state: "dead", reason: "exited", why: "gone", severity: "critical" },
  ...{ since: T, noticedAt: T, openedAt: T, episodes: [T], flapping: false, change: 1 },
};
const told = { ops: { change: 1, at: T + 5000, reminders: 0 } };
const resolved = { at: T + 60_000, how: "recovered", why: "alive" } as const;

function withEpisode(last: Incident | undefined, episode: Episode, now: number): Incident {
  return incidentAfter(last, episode, now, { hold: MINUTE, told: episode });
}

describe("an incident whose judge is another host", () => {
  it("keeps what the teller wrote", () => {
    const teller = { told, acknowledged: { at: T, by: "ada" }, escalatedAt: T + 1, spokenForBy: "group-1" };
    const known: Incident = { ...episode, ...teller, noticedAt: T + 4000 };
    const after = withEpisode(known, { ...episode, why: "gone for longer" }, T + 9000);
    expect(after).toStrictEqual({ ...known, why: "gone for longer" });
    expect(episodeOf(after)).toStrictEqual({ ...episode, why: "gone for longer", noticedAt: T + 4000 });
  });

  it("needs a new acknowledgement when its host tells that it opened again", () => {
    const over = { ...episode, told: {}, acknowledged: { at: T, by: "ada" }, escalatedAt: T + 1, resolved };
    const again = withEpisode(over, { ...episode, change: 2, since: T + 90_000 }, T + 90_000);
    expect(again.resolved).toBeUndefined();
    expect([again.acknowledged, again.escalatedAt]).toEqual([undefined, undefined]);
    expect(withEpisode(over, { ...episode, resolved }, T + 90_000).acknowledged).toEqual({
      at: T,
      by: "ada",
    });
  });

  it("counts its hold from when news of it reached us", () => {
    const opened = withEpisode(undefined, episode, T + 500_000);
    expect(opened.noticedAt).toBe(T + 500_000);
    const worse = withEpisode(opened, { ...episode, change: 2 }, T + 600_000);
    expect(worse.noticedAt).toBe(T + 600_000);
  });

  it("goes on with those who were told of the last one and not of its end", () => {
    const next = withEpisode({ ...episode, told }, { ...episode, id: "bot-2@web1", change: 2 }, T + 9000);
    expect(next).toMatchObject({ id: "bot-2@web1", told });
    expect(next.acknowledged).toBeUndefined();
  });

  it("is past if it was over before anybody here heard of it, once", () => {
    const past = withEpisode(undefined, { ...episode, resolved }, T + 600_000);
    expect(past.past).toBe("untold");
    expect(withEpisode({ ...past, past: "told" }, { ...episode, resolved }, T + 700_000).past).toBe("told");
    const inOneBatch = withEpisode(
      withEpisode(undefined, episode, T + 600_000),
      { ...episode, resolved },
      T + 600_000,
    );
    expect(inOneBatch.past).toBe("untold");
  });

  it("is not past if it was told, or if it was short and in contact", () => {
    expect(withEpisode({ ...episode, told }, { ...episode, resolved }, T + 600_000).past).toBeUndefined();
    const brief = { ...episode, resolved: { ...resolved, at: T + 30_000 } };
    expect(withEpisode(undefined, brief, T + 31_000).past).toBeUndefined();
  });
});
