import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type LogFile, sessionLog } from "../../session-log/template.ts";
import { type Ledger, readOn } from "./ledger.ts";

const at = (second: number) => new Date(Date.UTC(2026, 10, 17, 12, 0, second)).toISOString();

/** What is summed up of transcripts that are read one after the other. */
async function usageOf(...files: readonly (readonly object[])[]) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-spent-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let ledger: Ledger | undefined;
  for (const [index, lines] of files.entries()) {
    const path = join(folder, `${index}.jsonl`);
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const log = sessionLog({ path });
    ledger = await readOn(ledger, log, (await log.find(0)) as LogFile);
  }
  return ledger?.usage;
}

const claude = (second: number, id: string, output: number, more: object = {}) => ({
  ...{ type: "assistant", timestamp: at(second) },
  message: {
    ...{ id, role: "assistant", model: "claude-sonnet-4-5", content: [{ type: "text", text: "hm" }] },
    usage: { input_tokens: 1000, output_tokens: output, cache_read_input_tokens: 99_000 },
  },
  ...more,
});
const codex = (second: number, input: number, used: number) => ({
  ...{ type: "event_msg", timestamp: at(second) },
  payload: {
    type: "token_count",
    info: {
      total_token_usage: { input_tokens: input, cached_input_tokens: 100, output_tokens: 10 },
      last_token_usage: { total_tokens: 50_000 },
      model_context_window: 200_000,
    },
    rate_limits: {
      primary: { used_percent: used, window_minutes: 300, resets_in_seconds: 3600 },
      secondary: { used_percent: 7, window_minutes: 10_080, resets_at: 1_800_000_000 },
    },
  },
});

describe("what transcripts tell of usage", () => {
  it("Claude Code: an answer that is written in several lines counts once, by its last", async () => {
    const usage = await usageOf([
      ...[claude(1, "m1", 5), claude(2, "m1", 50), claude(3, "m2", 50)],
      { type: "system", subtype: "compact_boundary", timestamp: at(4) },
      { ...claude(5, "m3", 9), message: { model: "<synthetic>", usage: { input_tokens: 5 } } },
    ]);
    expect(usage).toMatchObject({
      days: [{ input: 2000, output: 100, cacheRead: 198_000, compactions: 1 }],
      context: 0.5,
    });
    expect(usage?.days[0]?.cost).toBeCloseTo((2000 * 3 + 198_000 * 0.3 + 100 * 15) / 1e6);
  });

  it("Claude Code: a file that begins with a copy of an earlier one counts from where it goes on", async () => {
    const first = [claude(1, "m1", 50), claude(2, "m2", 50)];
    expect((await usageOf(first, [...first, claude(3, "m3", 50)]))?.days).toMatchObject([{ output: 150 }]);
  });

  it("Codex: its totals grow, and its limits and their ends are told", async () => {
    const model = { type: "turn_context", timestamp: at(0), payload: { model: "gpt-5.1-codex" } };
    const usage = await usageOf([
      ...[model, codex(1, 1100, 10), codex(2, 1100, 11), codex(3, 3100, 12)],
      { type: "compacted", timestamp: at(4), payload: { message: "" } },
    ]);
    expect(usage).toMatchObject({
      days: [{ input: 3000, output: 10, cacheRead: 100, compactions: 1, cost: expect.closeTo(0.0038625, 7) }],
      context: 0.25,
      limits: [
        { name: "5h", used: 0.12, resetsAt: Date.parse(at(3)) + 3_600_000 },
        { name: "7d", used: 0.07, resetsAt: 1_800_000_000_000 },
      ],
    });
  });

  it("Qwen Code and Gemini CLI: what was kept is no input", async () => {
    const metadata = { promptTokenCount: 1000, cachedContentTokenCount: 400, candidatesTokenCount: 20 };
    const qwen = { type: "assistant", uuid: "u1", timestamp: at(1), model: "qwen3", usageMetadata: metadata };
    expect((await usageOf([qwen]))?.days).toMatchObject([
      { input: 600, cacheRead: 400, output: 20, cost: 0 },
    ]);
    const tokens = { input: 1000, cached: 400, output: 20, thoughts: 5, total: 1025 };
    const gemini = {
      type: "gemini",
      id: "g1",
      timestamp: at(1),
      content: "hm",
      model: "gemini-2.5-pro",
      tokens,
    };
    expect((await usageOf([gemini, gemini]))?.days).toMatchObject([
      { input: 600, cacheRead: 400, output: 25 },
    ]);
  });
});
