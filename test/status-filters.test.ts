// What `status` can be asked for, by a person and by a script.
import { expect, it } from "vitest";
import { cli, daemon, http, temporaryHome, until } from "./product.ts";

/** Three agents, two of them in a group, one of which says that it fails. */
async function fleet(): Promise<string> {
  const home = temporaryHome(`agents:
  - { id: web-1, group: web, every: 1h }
  - { id: web-2, group: web, every: 1h }
  - { id: nightly, every: 1h }
`);
  await cli(home, "beat", "web-1");
  await cli(home, "beat", "web-2", "--status", "error", "--message", "no network");
  await cli(home, "beat", "nightly");
  return home;
}

const idsIn = (stdout: string) =>
  stdout.split("\n").flatMap((line) => /^(web-\d|nightly) /.exec(line)?.[1] ?? []);

it("lists the agents that pass the filters, in the order that was asked for", async () => {
  const home = await fleet();
  const listed = async (...args: string[]) => idsIn((await cli(home, "status", ...args)).stdout);
  expect(await listed()).toEqual(["web-2", "nightly", "web-1"]);
  expect(await listed("--sort", "id")).toEqual(["nightly", "web-1", "web-2"]);
  expect(await listed("--state", "failing,dead")).toEqual(["web-2"]);
  expect(await listed("--group", "web", "--sort", "id")).toEqual(["web-1", "web-2"]);
  expect(await listed("web-*", "--state", "alive")).toEqual(["web-1"]);
  expect((await cli(home, "status", "batch-*")).stdout).toContain(
    "No agent on the roll matches these filters.",
  );
  const { status, stderr } = await cli(home, "status", "--state", "ded");
  expect(status).toBe(2);
  expect(stderr).toContain('not "ded"; did you mean dead?');
});

it("says all in one line, for prompts and for tmux, and tells scripts the worst state", async () => {
  const home = await fleet();
  expect((await cli(home, "status", "--short")).stdout).toBe("1 failing, 2 ok\n");
  expect((await cli(home, "status", "--short", "--format", "tmux")).stdout).toBe(
    "#[fg=red]1 failing#[default], #[fg=green]2 ok#[default]\n",
  );
  expect((await cli(home, "status", "--short", "--state", "alive")).stdout).toBe("2 ok\n");
  expect((await cli(home, "status", "--check")).status).toBe(2);
  expect((await cli(home, "status", "--check", "web-1")).status).toBe(0);
  expect((await cli(home, "status")).status).toBe(0);
});

it("a filter that names no agent at all is a typing error for a script, but not a state that no agent has", async () => {
  const home = await fleet();
  const none = "rollcall: No agent on the roll matches these filters.\n";
  for (const args of [
    ["--group", "wbe"],
    ["zzz-*"],
    ["zzz-*", "--state", "alive"],
    ["--group", "wbe", "--short"],
  ])
    expect(await cli(home, "status", "--check", ...args)).toMatchObject({ status: 3, stderr: none });
  expect(await cli(home, "status", "--check", "--host", "nowhere")).toMatchObject({ status: 3 });
  expect(await cli(home, "status", "--check", "--group", "web", "--state", "dead")).toMatchObject({
    status: 0,
    stderr: "",
  });
  expect(await cli(home, "status", "--short", "zzz-*")).toMatchObject({ status: 0, stderr: none });
});

it("of a large fleet, says how many there are and what is wrong", async () => {
  const ids = Array.from({ length: 1200 }, (_, i) => `web-${i}`);
  const home = temporaryHome(`agents:\n${ids.map((id) => `  - { id: ${id}, every: 1h }\n`).join("")}`);
  const { url } = await daemon(home);
  const beats = ids.slice(1).map((agent) => ({ agent, status: agent === "web-999" ? "error" : "ok" }));
  expect((await http(`${url}/api/v1/beats`, { method: "POST", body: JSON.stringify(beats) })).status).toBe(
    204,
  );
  // The watcher stands on its own roll.
  await until(
    () => cli(home, "status", "--short"),
    ({ stdout }) => stdout === "1 failing, 1 new, 1199 ok\n",
  );
  expect((await cli(home, "status", "--short", "--check")).status).toBe(2);
  const all = JSON.parse((await cli(home, "status", "--json")).stdout);
  expect(all.agents).toHaveLength(1201);
  expect(all.counts).toEqual({ failing: 1, new: 1, alive: 1199 });
});
