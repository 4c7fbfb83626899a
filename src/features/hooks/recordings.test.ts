import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HOOK_CLIENTS, type HookClient } from "../../core/hook/event.ts";
import { readHook } from "../../core/hook/read-hook.ts";
import { type HookSession, sessionAfter } from "../../core/hook/session.ts";

const T = Date.UTC(2026, 10, 17, 9);

interface Recorded {
  readonly after: number;
  readonly up?: number;
  readonly event?: string;
  /** What shall be believed after it. */
  readonly believed: string;
  readonly payload: Record<string, unknown>;
}

/** What the real client sent, as it was recorded in a terminal against a model on loopback. */
function recorded(client: HookClient): readonly Recorded[] {
  const file = new URL(`../../../test/fixtures/hooks/${client}.jsonl`, import.meta.url);
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Recorded);
}

const nameOf = ({ event, payload }: Recorded) => event ?? String(payload.hook_event_name ?? payload.type);

const readAt = (client: HookClient, { after, event, payload }: Recorded) =>
  readHook(client, payload, { now: T + after, zone: "UTC", ...(event === undefined ? {} : { event }) });

/** What is believed after each event of a recording: how it is read, with what it is busy, what a person is asked. */
function replay(client: HookClient): readonly string[] {
  let session: HookSession | undefined;
  return recorded(client).map((record) => {
    const event = readAt(client, record);
    if (event === undefined) return `${nameOf(record)}: not understood`;
    const sent = record.up === undefined ? record.after : record.up * 1000;
    session = sessionAfter(session, event, { client, now: T + record.after, sent });
    const { reading, context, detail, asks, doing, endedAt } = session;
    if (endedAt !== undefined) return `${nameOf(record)}: ended`;
    const more = [context === "unknown" ? undefined : context, detail, asks?.question, doing];
    const told = more.filter((part) => part !== undefined).join(", ");
    return `${nameOf(record)}: ${reading}${told === "" ? "" : ` (${told})`}`;
  });
}

describe("what the real clients sent in a terminal, against a model on loopback", () => {
  it.each(HOOK_CLIENTS)("%s: after each event the right thing is believed", (client) => {
    const records = recorded(client);
    expect(records.length).toBeGreaterThan(10);
    expect(replay(client)).toEqual(records.map((record) => `${nameOf(record)}: ${record.believed}`));
  });
});
