import { beforeEach, describe, expect, it } from "vitest";
import type { Millis } from "../core/duration.ts";
import { draftOf, type IssueDraft } from "../core/rca/issue.ts";
import type { Forge, ForgeComment, ForgeIssue } from "./forge.ts";

/** What is asked of a server, whatever the request looks like there. */
type Asked = "list" | "create" | "edit" | "repository";

/** What goes wrong: with what request, and before it is done or (`after`) only with its reply. */
interface Misfortune {
  readonly on: Asked;
  readonly how:
    | "reset"
    | "hang"
    | "huge"
    | "html"
    | { readonly status: number; readonly headers?: Record<string, string> };
  readonly after?: boolean;
  readonly times?: number;
}

/** A forge to test against a server that can be told to fail. */
export interface ForgeUnderTest {
  readonly forge: Forge;
  readonly token: string;
  /** The same server, asked with another token, or with less patience than the half minute that is usual there. */
  readonly withToken: (token: string, timeout?: Millis) => Forge;
  readonly server: {
    readonly issues: readonly {
      readonly number: number;
      title: string;
      body: string;
      state: string;
      labels: readonly string[];
    }[];
    readonly refused: readonly string[];
    failOn(misfortune: Misfortune): void;
    heal(): void;
    /** How often it was asked. */
    asked(what: Asked): number;
    /** Whether the token may set labels; if not, the real ones drop them without a word. */
    mayLabel: boolean;
    addIssue(more: object): { readonly number: number };
    /** A pull request, where the forge lists it among the issues. */
    addPullRequest(more: object): void;
    /** The forge's own record of a change, where it stands among the comments. */
    addRecord(number: number, text: string): void;
  };
}

const T = Date.parse("2026-04-04T18:00:00Z");
const draft = (key: string): IssueDraft =>
  draftOf({
    ...{
      agent: "allegro",
      type: "MISSING_TICK",
      title: `RCA-AGENT: ${key}`,
      key,
      detectedAt: T,
      expected: "x",
    },
    ...{ actual: [], evidence: [], resources: [] },
  });

/** What every forge must do. */
export function forgeContract(name: string, setUp: () => Promise<ForgeUnderTest>): void {
  describe(`${name} keeps the contract of forges`, () => {
    let under: ForgeUnderTest;
    let forge: Forge;
    beforeEach(async () => {
      under = await setUp();
      forge = under.forge;
    });
    /** Only where no answer comes is the time-out waited for: on a busy machine an answer may take its time. */
    const facing = (how: Misfortune["how"]) => (how === "hang" ? under.withToken(under.token, 1000) : forge);

    it("D5: files with three labels, which it makes if they are missing, and the second time it finds", async () => {
      const first = await forge.file(draft("a:2026-04:OFFLINE"));
      expect(first).toMatchObject({ outcome: "created", number: 1 });
      expect(under.server.issues).toMatchObject([
        { labels: ["agent-health", "rca-required", "auto-generated"] },
      ]);
      const again = await forge.file(draft("a:2026-04:OFFLINE"));
      expect(again).toEqual({ ...first, outcome: "found" });
      expect(await forge.file(draft("a:2026-04:MISSING_TICK"))).toMatchObject({
        outcome: "created",
        number: 2,
      });
      expect(under.server.asked("create")).toBe(2);
      expect(under.server.refused).toEqual([]);
    });

    it("finds what was closed, what lies pages back, and what people have written around", async () => {
      const marked = draft("a:2026-04:OFFLINE");
      const body = `edited\r\n${marked.body.replaceAll("\n", "\r\n")}\r\nby hand`;
      under.server.addIssue({ body, state: "closed", labels: ["auto-generated"] });
      await forge.file(draft("other"));
      for (let i = 0; i < 130; i += 1) under.server.addIssue({ body: "x", labels: ["auto-generated"] });
      expect(await forge.file(marked)).toMatchObject({ outcome: "found", number: 1 });
    });

    it("does not take a quotation or a pull request for the issue", async () => {
      const wanted = draft("a:2026-04:OFFLINE");
      under.server.addIssue({ body: `see \`${wanted.marker}\``, labels: ["auto-generated"] });
      under.server.addPullRequest({ body: wanted.body, labels: ["auto-generated"] });
      expect(await forge.file(wanted)).toMatchObject({ outcome: "created" });
      expect(under.server.asked("create")).toBe(1);
    });

    it.each(["reset", "hang", "huge", "html", { status: 502 }] as const)(
      "makes no second issue if the reply is lost: %j",
      async (how) => {
        under.server.failOn({ on: "create", how, after: true, times: 1 });
        const lost = await facing(how).file(draft("a"));
        expect(lost).toMatchObject({ outcome: "retry" });
        expect(await forge.file(draft("a"))).toMatchObject({ outcome: "found", number: 1 });
        expect(under.server.issues).toHaveLength(1);
      },
    );

    it.each([
      [{ status: 401 }, "refused", "the token is not accepted (401): it is 401"],
      [{ status: 403 }, "refused", "the token does not allow it (403)"],
      [{ status: 404 }, "refused", "no such repository, or the token may not see it (404)"],
      [{ status: 409 }, "retry", "something else changed it at the same time (409)"],
      [{ status: 422 }, "refused", "the forge does not take the request (422)"],
      [{ status: 429 }, "retry", "too many requests (429)"],
      [{ status: 500 }, "retry", "the forge has an error (500)"],
      [{ status: 302, headers: { location: "http://127.0.0.1:1/" } }, "refused", "a redirection (302)"],
      ["reset", "retry", "the connection failed (ECONNRESET)"],
      ["hang", "retry", "no answer within 1 s"],
      ["huge", "retry", "the reply is longer than"],
      ["html", "retry", "the reply is not JSON"],
    ] as const)("says what is wrong, whenever it happens: %j", async (how, outcome, words) => {
      for (const on of ["list", "create"] as const) {
        under.server.failOn({ on, how, times: 1 });
        const failed = await facing(how).file(draft(on));
        expect(failed).toMatchObject({ outcome, problem: expect.stringContaining(words) });
      }
      under.server.heal();
      expect(await forge.file(draft("then"))).toMatchObject({ outcome: "created" });
    });

    it.each([
      [{ status: 429, headers: { "retry-after": "7" } }, 7000],
      [{ status: 403, headers: { "retry-after": "60" } }, 60_000],
      [{ status: 503, headers: { "retry-after": "999999999" } }, 86_400_000],
      [{ status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" } }, 0],
      [{ status: 429, headers: { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" } }, 0],
    ])("says how long to wait: %j", async (how, after) => {
      under.server.failOn({ on: "create", how });
      expect(await forge.file(draft("a"))).toMatchObject({ outcome: "retry", after });
    });

    it("D5: adopts the issue of a tick that somebody filed under the same title, and files no other", async () => {
      const wanted = draft("a:2026-04:OFFLINE");
      under.server.addIssue({ title: ` ${wanted.title}`, body: "by hand\r\n- [ ] a box", labels: ["bug"] });
      under.server.addIssue({ title: `${wanted.title} again`, body: "another" });
      under.server.addIssue({ title: wanted.title, body: draft("a:2026-04:OTHER").body });
      under.server.addPullRequest({ title: wanted.title });
      for (let i = 0; i < 2; i += 1)
        expect(await forge.file(wanted)).toMatchObject({ outcome: "found", number: 1 });
      const [adopted] = under.server.issues;
      expect(adopted?.body).toBe(`${wanted.marker}\n\nby hand\n- [ ] a box`);
      expect(adopted?.labels).toEqual(["bug", "agent-health", "rca-required", "auto-generated"]);
      expect(under.server.asked("create")).toBe(0);
      expect(await forge.find(wanted.marker)).toMatchObject({ issue: { number: 1 } });
      expect(under.server.refused).toEqual([]);
    });

    it("D5: takes a closed issue with the same title for filed and leaves it closed, but prefers an open one", async () => {
      const [closed, open] = [draft("a:2026-04:OFFLINE"), draft("b:2026-04:OFFLINE")];
      under.server.addIssue({ title: closed.title, state: "closed" });
      under.server.addIssue({ title: open.title, state: "closed" });
      under.server.addIssue({ title: open.title });
      expect(await forge.file(closed)).toMatchObject({ outcome: "found", number: 1 });
      expect(await forge.file(open)).toMatchObject({ outcome: "found", number: 3 });
      expect(under.server.issues.map(({ state }) => state)).toEqual(["closed", "closed", "open"]);
      expect(under.server.asked("create")).toBe(0);
    });

    it("D5: labels an issue of ours again whose label somebody removed", async () => {
      const wanted = draft("a:2026-04:OFFLINE");
      under.server.addIssue({ title: wanted.title, body: wanted.body });
      expect(await forge.file(wanted)).toMatchObject({ outcome: "found", number: 1 });
      expect(under.server.issues).toMatchObject([{ body: wanted.body, labels: wanted.labels }]);
    });

    it.each(["reset", { status: 502 }] as const)(
      "D5: adopts once if the reply to a change is lost: %j",
      async (how) => {
        const wanted = draft("a:2026-04:OFFLINE");
        under.server.addIssue({ title: wanted.title, body: "by hand", labels: wanted.labels });
        under.server.failOn({ on: "edit", how, after: true, times: 1 });
        expect(await forge.file(wanted)).toMatchObject({
          outcome: "retry",
          problem: expect.stringMatching(
            /^issue #1 has the same title, but could not be adopted: could not /,
          ),
        });
        expect(await forge.file(wanted)).toMatchObject({ outcome: "found", number: 1 });
        expect(under.server.issues).toMatchObject([{ body: `${wanted.marker}\n\nby hand` }]);
      },
    );

    it("does not adopt for an incident: two of one day may have the same title", async () => {
      const wanted = draft("allegro-mm8ws3v4");
      under.server.addIssue({ title: wanted.title });
      expect(await forge.file(wanted)).toMatchObject({ outcome: "created", number: 2 });
    });

    it("refuses a wrong token, and never says it", async () => {
      const other = under.withToken("wr0ng-token-value");
      for (const outcome of [
        await other.file(draft("a")),
        await other.open("x"),
        await other.comment(1, "x"),
      ]) {
        expect(outcome).toMatchObject({ outcome: "refused" });
        expect(JSON.stringify(outcome)).not.toContain("wr0ng");
      }
      expect(`${forge.name}`).not.toContain(under.token);
    });

    it("creates nothing with a token that may not label, because nobody would find it again", async () => {
      under.server.mayLabel = false;
      expect(await forge.file(draft("a"))).toMatchObject({
        outcome: "refused",
        problem: expect.stringContaining("the token may not set labels"),
      });
      expect(under.server.issues).toEqual([]);
    });

    it("files with a token that sees the issues but not the repository", async () => {
      under.server.failOn({ on: "repository", how: { status: 403 } });
      expect(await forge.file(draft("a"))).toMatchObject({ outcome: "created" });
    });

    it("reads, comments, changes and closes", async () => {
      await forge.file(draft("a"));
      under.server.addRecord(1, "changed the description");
      for (let i = 1; i <= 120; i += 1)
        expect(await forge.comment(1, `word ${i}`)).toEqual({ outcome: "done" });
      const { comments } = (await forge.comments(1)) as { comments: readonly ForgeComment[] };
      expect(comments.map(({ body }) => body)).toEqual(
        Array.from({ length: 120 }, (_, i) => `word ${i + 1}`),
      );
      expect(comments[0]).toMatchObject({ author: "rollcall", at: Date.parse("2026-04-04T19:00:00Z") });
      expect(await forge.edit(1, { body: "new" })).toEqual({ outcome: "done" });
      expect(await forge.edit(1, { state: "closed" })).toEqual({ outcome: "done" });
      expect(await forge.read(1)).toMatchObject({ outcome: "done", issue: { body: "new", state: "closed" } });
      expect(await forge.read(99)).toMatchObject({ outcome: "refused" });
      expect(under.server.refused).toEqual([]);
    });

    it("lists the open issues with a label, oldest first, all pages, and no others", async () => {
      for (let i = 0; i < 120; i += 1) under.server.addIssue({ labels: ["cap:compute"] });
      under.server.addIssue({ labels: ["cap:compute"], state: "closed" });
      under.server.addIssue({ labels: [] });
      under.server.addPullRequest({ labels: ["cap:compute"] });
      const listed = (await forge.open("cap:compute")) as { issues: readonly ForgeIssue[] };
      expect(listed.issues.map(({ number }) => number)).toEqual(Array.from({ length: 120 }, (_, i) => i + 1));
      expect(await forge.open("no such label")).toEqual({ outcome: "done", issues: [] });
    });
  });
}
