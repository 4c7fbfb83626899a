import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FakeForge } from "../../../test/fake-forge.ts";
import { draftOf, type IssueDraft } from "../../core/rca/issue.ts";
import { openForge } from "../../forges/registry.ts";
import { PendingIssues } from "../issues/marked-files.ts";
import { fileAll } from "./check.ts";
import { IssueFiler } from "./file-issues.ts";

const draft = (key: string): IssueDraft =>
  draftOf({
    ...{ agent: "allegro", type: "OFFLINE", title: key, key, detectedAt: 0, expected: "x" },
    ...{ actual: [], evidence: [], resources: [] },
  });
const CREATE = /^POST .*\/issues$/;
const invalid = (agent: string) => ({ agent, result: "invalid", problem: "x" }) as const;

async function started() {
  const home = mkdtempSync(join(tmpdir(), "rollcall-pending-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const server = await new FakeForge({ kind: "gitea" }).start();
  const forge = openForge(
    { kind: "gitea", url: server.url, repo: "org/fleet", timeout: 30_000, tokenEnv: "T" },
    server.token,
  );
  const pending = new PendingIssues(home);
  return { home, server, forge, pending, filer: () => new IssueFiler(forge, pending) };
}

describe("filing issues", () => {
  it("tries again at once what may work at once, and looks first each time", async () => {
    const { server, filer, pending } = await started();
    server.fail({ on: CREATE, how: "reset", after: true, times: 1 });
    expect(await filer().file(draft("a"))).toMatchObject({ outcome: "found", number: 1 });
    expect(server.issues).toHaveLength(1);
    expect(pending.all()).toEqual([]);
  });

  it("keeps what the forge does not take, for the next run", async () => {
    const { server, filer, pending } = await started();
    server.fail({ on: CREATE, how: { status: 422 } });
    const tick = draft("a:2026-04:OFFLINE");
    expect(await filer().file(tick)).toMatchObject({
      outcome: "failed",
      problem: expect.stringContaining("(422)"),
    });
    expect(pending.all()).toEqual([tick]);
    server.heal();
    expect(await fileAll("2026-05", [], filer(), pending)).toEqual({
      reported: [],
      earlier: [
        { title: "a:2026-04:OFFLINE", filing: { outcome: "created", number: 1, url: expect.any(String) } },
      ],
    });
    expect(pending.all()).toEqual([]);
  });

  it("leaves a forge alone that asks for patience, or that took none of three", async () => {
    const { server, filer, pending } = await started();
    server.fail({ on: /./, how: { status: 429, headers: { "retry-after": "3600" } } });
    const one = filer();
    for (const key of ["a", "b", "c", "d", "e"])
      expect(await one.file(draft(key))).toMatchObject({ outcome: "failed" });
    expect(server.requests).toHaveLength(3);
    expect(pending.all()).toHaveLength(5);
  });

  it("files from a home that cannot be written, and says so if the forge fails too", async () => {
    const { home, server, forge } = await started();
    writeFileSync(join(home, "file"), "");
    const pending = new PendingIssues(join(home, "file"));
    expect(await new IssueFiler(forge, pending).file(draft("a"))).toMatchObject({ outcome: "created" });
    server.fail({ on: /./, how: { status: 401 } });
    expect(await new IssueFiler(forge, pending).file(draft("b"))).toMatchObject({
      outcome: "failed",
      problem: expect.stringMatching(/\(401\).*; and .*ENOTDIR/),
    });
  });

  it("leaves the issues of incidents to the daemon, and tells who asked of what was filed", async () => {
    const { pending, forge, server } = await started();
    pending.keep(draft("allegro-mm8ws3v4"));
    pending.keep(draft("a:2026-04:OFFLINE"));
    const told: string[] = [];
    const filer = new IssueFiler(forge, pending, async ({ marker }, { number }) => {
      expect(pending.all()).toHaveLength(2);
      told.push(`${marker} ${number}`);
    });
    await fileAll("2026-05", [], filer, pending);
    expect(told).toEqual(["<!-- rollcall:a:2026-04:OFFLINE --> 1"]);
    expect(pending.all()).toEqual([draft("allegro-mm8ws3v4")]);
    expect(server.issues).toHaveLength(1);
  });

  it("of many processes only one files at a time", async () => {
    const { home, forge, server } = await started();
    const filers = [1, 2, 3, 4].map(() => new IssueFiler(forge, new PendingIssues(home)));
    const filed = await Promise.all(filers.map((each) => each.file(draft("a"))));
    expect(filed.map(({ outcome }) => outcome).sort()).toEqual(["created", "found", "found", "found"]);
    expect(server.issues).toHaveLength(1);
  });

  it("without a forge everything waits", async () => {
    const { pending } = await started();
    const filer = new IssueFiler({ problem: "no forge is configured" }, pending);
    expect(await filer.file(draft("a"))).toEqual({ outcome: "failed", problem: "no forge is configured" });
    expect(pending.all()).toHaveLength(1);
  });

  it("forgets what was mended before anybody could be told, and nothing else", async () => {
    const { pending, filer, server } = await started();
    for (const key of ["a:2026-04:MISSING_TICK", "ab:2026-04:MISSING_TICK", "a:2026-03:OFFLINE"])
      pending.keep(draft(key));
    const healthy = { status: "healthy", capabilities: {} } as const;
    const { earlier } = await fileAll(
      "2026-04",
      [{ result: { agent: "a", result: "healthy", tick: healthy } }],
      filer(),
      pending,
    );
    expect(earlier.map(({ title }) => title).sort()).toEqual([
      "a:2026-03:OFFLINE",
      "ab:2026-04:MISSING_TICK",
    ]);
    expect(server.issues).toHaveLength(2);
  });

  it("files the present failures, and those of the registry not at all", async () => {
    const { pending, filer, server } = await started();
    const { reported } = await fileAll(
      "2026-04",
      [{ result: invalid("agents[1]") }, { result: invalid("a"), draft: draft("a") }],
      filer(),
      pending,
    );
    expect(reported.map(({ filing }) => filing?.outcome)).toEqual([undefined, "created"]);
    expect(server.issues).toHaveLength(1);
  });
});

it("what is no draft is left alone", async () => {
  const { home, pending } = await started();
  pending.keep(draft("a"));
  pending.keep(draft("a"));
  const folder = join(home, "issues-pending");
  writeFileSync(join(folder, `${"0".repeat(64)}.json`), "{");
  writeFileSync(join(folder, `${"1".repeat(64)}.json`), '{"marker": 7}');
  writeFileSync(join(folder, "notes.txt"), "x");
  expect(pending.all()).toEqual([draft("a")]);
  pending.drop(draft("a").marker);
  expect(pending.all()).toEqual([]);
  expect(readdirSync(folder)).toHaveLength(3);
});
