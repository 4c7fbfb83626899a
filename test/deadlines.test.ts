import { describe, expect, it } from "vitest";
import { agentOf, cli, daemon, http, temporaryHome, until } from "./product.ts";

interface FlipJson {
  readonly from: string;
  readonly to: string;
  readonly at: string;
  readonly noticedAt: string;
  readonly reason: string;
}

async function flipsOf(home: string, id: string): Promise<FlipJson[]> {
  const { stdout } = await cli(home, "flips", id, "--json");
  return (JSON.parse(stdout) as { flips: FlipJson[] }).flips;
}

/** Whether the watcher says that it did not watch for a while. */
async function missedBy(url: string, id: string): Promise<boolean> {
  const { evidence = [] } = (await agentOf(url, id)) as { evidence?: { signal: string }[] };
  return evidence.some(({ signal }) => signal === "watcher");
}

const CONFIG = `
agents:
  - { id: allegro, name: Allegro, every: 2s, grace: 1s }
  - { id: silent, every: 2s, grace: 1s }
`;

describe("an agent that promises a beat every 2 s with 1 s of grace", () => {
  it("is late, then dead, with flips dated at the deadline; check says so with and without the watcher", async () => {
    const home = temporaryHome(CONFIG);
    const running = await daemon(home);
    await http(`${running.url}/beat/allegro`);
    const heard = await agentOf(running.url, "allegro");
    const beatAt = Date.parse(String(heard?.lastBeatAt));
    await until(
      () => agentOf(running.url, "allegro"),
      (agent) => agent?.state === "dead",
    );
    const flips = await flipsOf(home, "allegro");
    const missed = await missedBy(running.url, "allegro");
    expect(flips.map(({ to }) => to)).toEqual(["dead", "late", "alive"]);
    const after = flips.map(({ at }) => Date.parse(at) - beatAt);
    // On a machine so busy that the watcher itself was held up, deadlines move out by as much.
    if (!missed) expect(after).toEqual([3000, 2000, 0]);
    else for (const [n, least] of [3000, 2000, 0].entries()) expect(after[n]).toBeGreaterThanOrEqual(least);
    for (const { at, noticedAt } of flips)
      expect(Date.parse(noticedAt)).toBeGreaterThanOrEqual(Date.parse(at));
    expect(await cli(home, "check", "allegro")).toMatchObject({ status: 2 });
    await until(
      () => agentOf(running.url, "silent"),
      (agent) => agent?.state === "dead",
    );
    expect(await agentOf(running.url, "silent")).toMatchObject({ reason: "never-heard" });
    expect((await flipsOf(home, "silent")).map(({ from, to }) => [from, to])).toEqual([["new", "dead"]]);
    expect(running.said()).toContain("allegro: late → dead");
    await running.end("SIGTERM");
    expect(await cli(home, "check", "allegro")).toMatchObject({ status: 2 });
    expect(await cli(home, "check", "silent")).toMatchObject({ status: 2 });
  });

  it("is not called dead for what happened while nobody watched, until it had its chance", async () => {
    const home = temporaryHome(CONFIG);
    const first = await daemon(home);
    await http(`${first.url}/beat/allegro`);
    await first.end("SIGKILL");
    // The deadline passes with no watcher: the file alone tells when it has.
    await until(
      () => cli(home, "check", "allegro"),
      ({ status }) => status === 2,
    );
    const second = await daemon(home);
    const { watcher } = (await http(`${second.url}/api/v1/agents`)).json() as {
      watcher: { startedAt: string };
    };
    await until(
      () => agentOf(second.url, "allegro"),
      (agent) => agent?.state === "dead",
    );
    const [dead, unknown] = await flipsOf(home, "allegro");
    expect([dead?.to, unknown?.to]).toEqual(["dead", "unknown"]);
    expect(unknown).toMatchObject({ reason: "not-watched" });
    expect(Date.parse(dead?.at ?? "") - Date.parse(watcher.startedAt)).toBeGreaterThanOrEqual(3000);
  });
});
