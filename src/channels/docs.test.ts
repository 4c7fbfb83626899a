import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Incident } from "../core/incident/incident.ts";
import { wordsFor } from "../core/incident/words.ts";
import { dispatch } from "../ports/channel.contract.ts";
import { envelope } from "./kit/envelope.ts";
import { channelSettings, channelsSettings } from "./settings.ts";
import { signature } from "./webhook/index.ts";

const page = readFileSync(new URL("../../docs/channels.md", import.meta.url), "utf8");
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, text]) => text ?? "");
const kinds = channelSettings.options.map(({ shape }) => shape.kind.value);

describe("docs/channels.md says what the code does", () => {
  it("its examples are good, and there is one of each kind", () => {
    const examples = blocks("yaml").map((text) => channelsSettings.parse(parse(text).channels));
    const shown = examples.flatMap((channels) => Object.values(channels).map(({ kind }) => kind));
    expect(shown.sort()).toEqual([...kinds].sort());
  });

  it("its table lists each kind with all of its settings", () => {
    for (const { shape } of channelSettings.options) {
      const [row = ""] = page.split("\n").filter((line) => line.startsWith(`| \`${shape.kind.value}\` |`));
      for (const key of Object.keys(shape))
        expect(row).toContain(`\`${key === "kind" ? shape.kind.value : key}\``);
    }
  });

  it("its JSON has the form that is sent", () => {
    const shown = JSON.parse(blocks("json")[0] ?? "");
    const since = Date.parse(shown.message.data.since);
    const why = "its last beat reports an error: no disk";
    const incident: Incident = {
      ...{ id: "builder-mwkyakp7", kind: "agent", subject: "builder", group: "default" },
      ...{ state: "failing", reason: "says-error", why, severity: "warning" },
      ...{
        since,
        noticedAt: since,
        openedAt: since,
        episodes: [since],
        flapping: false,
        change: 1,
        told: {},
      },
    };
    const at = since + 2;
    const message = wordsFor(incident, "opened", at, { page: "http://127.0.0.1:7766" });
    const { key } = shown;
    expect(shown).toEqual(JSON.parse(envelope({ key, at, message })));
  });

  it("its check takes our signature, and nothing that is wrong or old", async () => {
    const source = `data:text/javascript,${encodeURIComponent(blocks("js")[0] ?? "")}`;
    const { isFromRollcall } = (await import(/* @vite-ignore */ source)) as {
      isFromRollcall: (...given: unknown[]) => boolean;
    };
    const now = 1_772_366_400_123;
    const body = envelope(dispatch());
    const header = signature("s3cret", body, now);
    expect(header).toMatch(/^t=1772366400,v1=[0-9a-f]{64}$/);
    expect(isFromRollcall(header, body, "s3cret", now)).toBe(true);
    expect(isFromRollcall(header, `${body} `, "s3cret", now)).toBe(false);
    expect(isFromRollcall(header, body, "other", now)).toBe(false);
    expect(isFromRollcall(header, body, "s3cret", now + 600_000)).toBe(false);
    expect(isFromRollcall(header.replace("t=17", "t=18"), body, "s3cret", now)).toBe(false);
    expect(isFromRollcall(undefined, body, "s3cret", now)).toBe(false);
  });
});
