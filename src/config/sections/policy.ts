import * as z from "zod";
import { ATTEMPT } from "../../core/delivery/retry.ts";
import { formatDuration } from "../../core/duration.ts";
import { GROUP, HOLD, REMIND_EVERY } from "../../core/incident/policy.ts";
import { STATES, type State } from "../../core/liveness/state.ts";
import { parseActiveHours } from "../../core/schedule/active-hours.ts";
import { WEEKDAYS } from "../../core/schedule/window.ts";
import { channels, duration, mapping, text, timezone } from "./kit.ts";

const TROUBLE = "dead, stalled, failing, waiting, limited";

/** Hours of a day, such as 22:00-07:00. */
export function hours(example: string) {
  const what = `hours such as ${example}`;
  return text(what).refine((given) => parseActiveHours(given, "UTC") !== undefined, what);
}

const states = z.array(z.enum(Object.keys(STATES) as [State, ...State[]], { error: `one of ${TROUBLE}` }), {
  error: `a list of states, such as ${TROUBLE}`,
});

const route = mapping({
  agents: text("an agent, or a pattern with *")
    .describe("the agents that the route is for: an id, or a pattern with *")
    .default("*"),
  states: states.describe("the states that are reported").optional(),
  after: duration.describe("how long a state must last before it is reported").optional(),
  to: channels.describe("the channels; all of them if none is named").optional(),
});

const window = mapping({
  agents: text("an agent, or a pattern with *")
    .describe("the agents: an id, or a pattern with *")
    .default("*"),
  hours: hours("02:00-04:00").describe(
    "the hours; a stretch over midnight belongs to the day on which it begins",
  ),
  days: z
    .array(z.enum(WEEKDAYS, { error: `one of ${WEEKDAYS.join(", ")}` }), {
      error: `a list of ${WEEKDAYS.join(", ")}`,
    })
    .describe("the days of the week")
    .default([...WEEKDAYS]),
});

/** Which incidents are reported, when, and to whom. */
export const policy = mapping({
  tell: z
    .array(route, { error: "a list of routes" })
    .describe("which incidents go to which channels; the first route that matches decides")
    .optional(),
  hold: duration
    .describe("how long a silence is held back, to see whether many agents fell silent at once")
    .prefault(formatDuration(HOLD)),
  group: duration
    .describe("messages for one channel within this time go out as one message")
    .prefault(formatDuration(GROUP)),
  timeout: duration
    .describe("how long a channel may take for a message before Rollcall tries again")
    .prefault(formatDuration(ATTEMPT)),
  remind: duration
    .describe("how often Rollcall sends a reminder of an incident that nobody acknowledged")
    .prefault(formatDuration(REMIND_EVERY)),
  escalate: mapping({
    after: duration.describe("how long an incident may stay unacknowledged"),
    to: channels.describe("the channels that get a message then"),
  })
    .describe("the channels that get a message if nobody acknowledges")
    .optional(),
  quietHours: hours("22:00-07:00").describe("the hours in which only critical messages are sent").optional(),
  windows: z
    .array(window, { error: "a list of maintenance windows" })
    .describe("recurring maintenance: no message about these agents is sent in these hours")
    .default([]),
  timezone: timezone
    .default(Intl.DateTimeFormat().resolvedOptions().timeZone)
    .describe("the time zone of the quiet hours and the maintenance windows"),
});
