import { createHash } from "node:crypto";
import type * as z from "zod";
import { partsOf } from "../../core/delivery/batch.ts";
import type { Message } from "../../core/delivery/message.ts";
import { type Instant, iso } from "../../core/duration.ts";
import type { Channel } from "../../ports/channel.ts";
import type { SecretReader } from "../../system/secret.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { compose, type Dress } from "../kit/compose.ts";
import { guardedBy } from "../kit/guard.ts";
import { deliver, type HttpService, jsonOf } from "../kit/http.ts";
import { defuse, plain } from "../kit/plain.ts";
import { baseAddress, channelObject, oneSecret, secretIn } from "../kit/setting-forms.ts";
import { shorten } from "../kit/shorten.ts";

const KEY = "holds the integration key of a service (Events API v2)";

const pagerdutySettings = channelObject("pagerduty", {
  ...secretIn("routingKey", KEY),
  url: baseAddress("https://events.eu.pagerduty.com").default("https://events.pagerduty.com"),
}).superRefine(oneSecret("routingKey", "needed"));

type PagerDutySettings = z.output<typeof pagerdutySettings>;

/** The service refuses a longer summary. */
const SUMMARY = 1024;
const SOURCE = 255;

const DETAILS: Dress = {
  limit: 8000,
  line: defuse,
  command: (text) => `$ ${text}`,
  link: (text) => text,
  footer: (text) => `ref ${text}`,
};

const SEVERITY: Readonly<Record<Message["severity"], string>> = {
  info: "info",
  warning: "warning",
  critical: "critical",
  resolved: "info",
};

export const pagerdutyChannel: ChannelAdapter<typeof pagerdutySettings> = {
  kind: "pagerduty",
  settings: pagerdutySettings,
  open: (settings, { secret }) => openPagerDuty(settings, secret("routingKey")),
};

/**
 * Events of PagerDuty (Events API v2). An alert there is one incident here, so a message that merges several becomes
 * several events.
 */
function openPagerDuty({ url }: PagerDutySettings, routingKey: SecretReader): Channel {
  const address = new URL(`${url.replace(/\/+$/, "")}/v2/enqueue`);
  /** How many events of a message were taken before an attempt failed: the next attempt goes on there. */
  let taken = { key: "", count: 0 };
  const form = [/^[\x21-\x7e]+$/, "an integration key"] as const;
  return guardedBy("pagerduty", routingKey, form, async ({ key, message, at, abort }, { value, place }) => {
    const parts = partsOf(message);
    const first = taken.key === key ? taken.count : 0;
    for (const [index, part] of [...parts.entries()].slice(first)) {
      const id = String(part.data?.incident ?? (parts.length === 1 ? key : `${key}.${index}`));
      const body = JSON.stringify({ routing_key: value, dedup_key: dedupKey(id), ...event(part, key, at) });
      const receipt = await deliver(key, { url: address, body }, pagerduty(value, place), abort);
      if (receipt.outcome !== "sent") return receipt;
      taken = { key, count: index + 1 };
    }
    taken = { key: "", count: 0 };
    return { outcome: "sent" };
  });
}

/** PagerDuty takes 255 characters. */
function dedupKey(id: string): string {
  return /^[\x21-\x7e]{1,255}$/.test(id) ? id : createHash("sha256").update(id).digest("hex");
}

function event(message: Message, key: string, at: Instant): object {
  const { severity, title, data } = message;
  const links = (message.links ?? []).filter((link) => /^https?:\/\/[\x21-\x7e]{1,500}$/.test(link));
  return {
    event_action: severity === "resolved" ? "resolve" : "trigger",
    client: "Rollcall",
    payload: {
      summary: shorten(plain(title) || "(no title)", SUMMARY, defuse),
      source: shorten(plain(String(data?.subject ?? "")), SOURCE) || "rollcall",
      severity: SEVERITY[severity],
      timestamp: iso(at),
      custom_details: { details: compose(message, key, DETAILS) },
    },
    links: links.map((href) => ({ href, text: href })),
  };
}

function pagerduty(key: string, place: string): HttpService {
  return {
    name: "PagerDuty",
    secrets: [key],
    advice: {
      400: `check the integration key in ${place}: it belongs to an integration of type Events API v2`,
      404: "check the url: it is the address of the service alone, without /v2/enqueue",
      other: `PagerDuty refuses it; check the url, and the integration key in ${place}`,
    },
    isGood: (reply) => jsonOf(reply).status === "success",
    reason: (reply) => {
      const { message, errors } = jsonOf(reply);
      return Array.isArray(errors) && errors.length > 0 ? errors.join("; ") : message;
    },
  };
}
