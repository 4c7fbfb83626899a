import * as z from "zod";
import { formatDuration, parseDuration } from "../core/duration.ts";
import { REASONS, type Reason, type State } from "../core/liveness/state.ts";
import { DEFAULT_BACKOFF, DEFAULT_BUDGET, type Ladder, type Step } from "../core/recovery/ladder.ts";
import { extraEnvironment } from "../ports/extra-environment.ts";
import { stepOf, TEXT } from "./written-step.ts";

/** Every message says what would be right: it is shown after "expected". */
const DURATION = "a duration such as 10m or 90s";
const STEPS = "nudge, restart, release or escalate";
const COMMAND = "a program with its arguments as a list, or a command line for /bin/sh";
const UNIT = "a systemd unit such as bot.service";
const WEBHOOK = "an address such as https://example.org/release";
const TIMES = "a whole number from 1 to 20";
const STATE = `a state that opens an incident: ${troubles().join(", ")}`;
const REASON = "a reason from docs/states.md";
const PLACES = "a list of channel names";
const object = "a mapping of keys to values";

/** The states that open an incident. */
function troubles(): State[] {
  return ["dead", "stalled", "failing", "waiting", "limited"];
}

const duration = z.string({ error: DURATION }).transform((text, context) => {
  const length = parseDuration(text);
  if (length !== undefined) return length;
  context.addIssue({ code: "custom", message: DURATION });
  return z.NEVER;
});

const word = (what: string) => z.string({ error: what }).min(1, what);
const yesNo = z.boolean({ error: "true or false" });
const commandLine = z.union([word(COMMAND), z.tuple([word(COMMAND)], z.string())], { error: COMMAND });

const when = z.strictObject(
  {
    states: z
      .array(z.enum(troubles() as [State, ...State[]], { error: STATE }), { error: STATE })
      .min(1, STATE)
      .optional(),
    reasons: z
      .array(z.enum(Object.keys(REASONS) as [Reason, ...Reason[]], { error: REASON }), { error: REASON })
      .min(1, REASON)
      .optional(),
  },
  { error: object },
);

const by = z.strictObject(
  {
    command: commandLine.meta({ description: COMMAND }).optional(),
    cwd: word("a folder")
      .meta({ description: "the folder in which the command runs; by default the user's home folder" })
      .optional(),
    ...extraEnvironment,
    run: z
      .literal(true, { error: "true" })
      .meta({ description: "runs the command as the agent's next cycle, under rollcall run" })
      .optional(),
    unit: word(UNIT)
      .regex(/^[A-Za-z0-9][A-Za-z0-9:_.@\\-]*$/, UNIT)
      .meta({ description: UNIT })
      .optional(),
    user: yesNo
      .meta({ description: "true for a unit of the user's own systemd (systemctl --user)" })
      .optional(),
    respawn: z
      .literal(true, { error: "true" })
      .meta({ description: "starts the program in the agent's tmux pane again" })
      .optional(),
    webhook: z
      .url({ protocol: /^https?$/, error: WEBHOOK })
      .meta({ description: WEBHOOK })
      .optional(),
  },
  { error: object },
);

const step = z
  .strictObject(
    {
      do: z.enum(["nudge", "restart", "release", "escalate"], { error: STEPS }),
      text: word(TEXT)
        .max(500, TEXT)
        .regex(/^\P{Cc}+$/u, TEXT)
        .meta({ description: "the line that a nudge types" })
        .optional(),
      with: by.meta({ description: "how to restart the agent, or to release its work" }).optional(),
      kill: yesNo.meta({ description: "a restart may end a process that is still running" }).optional(),
      to: z
        .array(word(PLACES), { error: PLACES })
        .meta({ description: "the channels that an escalation sends to" })
        .optional(),
      when: when.meta({ description: "the states and reasons for which this step is taken" }).prefault({}),
      budget: z
        .strictObject(
          {
            times: z.int({ error: TIMES }).min(1, TIMES).max(20, TIMES).default(DEFAULT_BUDGET.times),
            within: duration.prefault(formatDuration(DEFAULT_BUDGET.within)),
          },
          { error: object },
        )
        .meta({
          description: "at most this many times within this time; then Rollcall stops and sends an alert",
        })
        .prefault({}),
      backoff: z
        .strictObject(
          {
            first: duration.prefault(formatDuration(DEFAULT_BACKOFF.first)),
            longest: duration.prefault(formatDuration(DEFAULT_BACKOFF.longest)),
          },
          { error: object },
        )
        .meta({ description: "the wait after a step; it doubles each time, up to the longest" })
        .prefault({}),
    },
    { error: object },
  )
  .transform((value, context): Step => {
    const made = stepOf(value);
    if (!("path" in made)) return made;
    context.addIssue({ code: "custom", path: [made.path], message: made.message });
    return z.NEVER;
  });

/** A ladder as the config writes it, and as the rules know it. */
export const ladderSettings = z
  .array(step, { error: "a list of steps" })
  .max(20, "at most 20 steps")
  .transform((steps): Ladder => steps);
