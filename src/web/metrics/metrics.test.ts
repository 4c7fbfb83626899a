import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ask, HOME_TOKEN, madeUpWeb } from "../../../test/made-up-web.ts";

describe("the figures", () => {
  it("tell states, ages, flips, incidents and beats, under names that Prometheus takes", async () => {
    const { url } = await madeUpWeb();
    await ask(`${url}/beat/allegro`);
    await ask(`${url}/beat/sick?status=error`);
    const { body, headers } = await ask(`${url}/metrics`);
    expect(headers["content-type"]).toContain("text/plain; version=0.0.4");
    const figures = new Map(
      body
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"))
        .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
    );
    expect(figures.get('rollcall_agents{state="alive"}')).toBe(1);
    expect(figures.get('rollcall_agents{state="failing"}')).toBe(1);
    expect(figures.get('rollcall_agents{state="dead"}')).toBe(0);
    expect(figures.get('rollcall_agent_state{agent="sick",state="failing"}')).toBe(1);
    expect(figures.get('rollcall_agent_last_beat_age_seconds{agent="allegro"}')).toBeLessThan(30);
    expect(figures.get('rollcall_flips_total{to="failing"}')).toBe(1);
    expect(figures.get('rollcall_incidents_open{severity="warning"}')).toBe(1);
    expect(figures.get("rollcall_beats_total")).toBe(2);
    expect(figures.get("rollcall_watcher_blind")).toBe(0);
    expect(figures.has('rollcall_loop_lag_seconds{quantile="0.99"}')).toBe(true);
    for (const name of figures.keys()) expect(name).toMatch(/^(rollcall|process)_[a-z_]+(\{.*\})?$/);
  });

  it("are all that the dashboard in examples/ asks for", async () => {
    const { url } = await madeUpWeb();
    const { body } = await ask(`${url}/metrics`);
    const page = readFileSync(new URL("../../../docs/metrics.md", import.meta.url), "utf8");
    const file = new URL("../../../examples/grafana-dashboard.json", import.meta.url);
    const { panels } = JSON.parse(readFileSync(file, "utf8")) as {
      panels: { targets: { expr: string }[] }[];
    };
    const asked = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join(" ");
    const names = new Set(
      asked.match(/\b(?:rollcall|process)_[a-z_]+/g)?.map((name) => name.replace(/_bucket$/, "")),
    );
    expect(names.size).toBeGreaterThan(8);
    // Those of hosts exist on a hub only; the page lists them too.
    for (const name of names) expect(body.includes(name) || page.includes(`\`${name}{host`)).toBe(true);
  });

  it("have series of single agents for a thousand of them, and sums of all", async () => {
    const { url } = await madeUpWeb();
    const body = Array.from({ length: 1005 }, (_, i) => ({ agent: `a${i}` }));
    await ask(`${url}/api/v1/beats`, { method: "POST", body, token: HOME_TOKEN });
    const said = (await ask(`${url}/metrics`)).body;
    expect(said.match(/^rollcall_agent_state\{/gm)).toHaveLength(1000);
    expect(said).toContain('rollcall_agents{state="alive"} 1005');
    await ask(`${url}/api/v1/agents/a0`, { method: "DELETE", token: HOME_TOKEN });
    expect((await ask(`${url}/metrics`)).body).not.toContain('agent="a0"');
  });
});
