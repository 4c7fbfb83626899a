import * as z from "zod";
import { type Millis, SECOND } from "../../core/duration.ts";
import { pause } from "../../ports/clock.ts";
import type { Acted, Recoverer } from "../../ports/recovery.ts";
import { text } from "../../ports/setting-forms.ts";
import { systemClock } from "../../system/clock.ts";
import type { RecoveryAdapter, RecoveryDeps } from "../kit/adapter.ts";
import { AgentPane } from "../kit/tmux.ts";
import { beforeCursor, notAtPrompt, type PromptScreen, screenFrom, shows } from "./screen.ts";

/** A person who is typing pauses for less than this. */
const STILL: Millis = 400;
const LOOK_EVERY: Millis = 50;
/** How long a program may take to show what was typed, and to take it. */
const SHOWN_WITHIN: Millis = 3 * SECOND;
const TAKEN_WITHIN: Millis = 5 * SECOND;

function notTyped(id: string, reading: string): string {
  return `the screen of ${id} shows ${reading} and does not accept input; see it: rollcall peek ${id}`;
}

/**
 * Types a line into an agent's pane: looks → types → sees it → Enter → sees that it was taken. Where one of these
 * fails, what was typed is taken back, and nothing is entered.
 */
export function nudge(text: string, means: RecoveryDeps): Recoverer {
  return {
    async act(target, abort) {
      const pane = AgentPane.of(target, means.run);
      if (pane === undefined) return { outcome: "dropped", why: "it has no tmux pane" };
      const { reading = "nothing known" } = target.aim;
      if (reading !== "idle" && reading !== "limited")
        return { outcome: "dropped", why: notTyped(target.agent.id, reading) };
      const before = await lookStill(pane, abort);
      if ("why" in before) return { outcome: "dropped", why: before.why };
      return type(pane, before.screen, text, abort);
    },
  };
}

type Looked = { readonly screen: PromptScreen; readonly id: string } | { readonly why: string };

async function look(pane: AgentPane, abort: AbortSignal): Promise<Looked> {
  const found = await pane.find(abort);
  if ("missing" in found) return { why: found.missing };
  const { id, dead, deaf, cursor } = found.pane;
  if (dead) return { why: "its program has ended" };
  if (deaf !== undefined) return { why: deaf };
  const captured = await pane.tmux.capture(id, abort, true);
  if (captured.how !== "answered") return { why: `Rollcall cannot see its screen (${captured.problem})` };
  return { id, screen: screenFrom(captured.value, cursor) };
}

/** An empty prompt that does not change for a moment: no person types, and no program draws. */
async function lookStill(pane: AgentPane, abort: AbortSignal): Promise<Looked> {
  const first = await look(pane, abort);
  if ("why" in first) return first;
  const busy = notAtPrompt(first.screen);
  if (busy !== undefined) return { why: busy };
  await pause(STILL, systemClock, abort);
  const second = await look(pane, abort);
  if ("why" in second) return second;
  const same = JSON.stringify(first.screen) === JSON.stringify(second.screen);
  return same ? second : { why: "its screen is changing: it is working, or a person is typing" };
}

async function type(pane: AgentPane, before: PromptScreen, text: string, abort: AbortSignal): Promise<Acted> {
  const prompt = beforeCursor(before);
  const found = await pane.find(abort);
  if ("missing" in found) return { outcome: "dropped", why: found.missing };
  const keys = (...more: string[]) => pane.tmux.sendKeys(found.pane.id, more);
  const typed = await keys("-l", "--", text);
  if (typed.how !== "answered")
    return { outcome: "failed", problem: `tmux did not accept the keys (${typed.problem})` };
  const is = (screen: PromptScreen) => shows(screen, prompt, text);
  const takenBack = () => takeBack(pane, before, text, keys);
  if (!(await until(pane, SHOWN_WITHIN, abort, is)))
    return { outcome: "dropped", why: `the typed text does not appear at its prompt; ${await takenBack()}` };
  await keys("Enter");
  if (await until(pane, TAKEN_WITHIN, abort, (screen) => !is(screen)))
    return { outcome: "done", note: `typed ${JSON.stringify(text)}, and the agent accepted it` };
  return { outcome: "failed", problem: `the agent did not accept Enter; ${await takenBack()}` };
}

/** Deletes the typed text, but only if no other text is there. It runs even after an abort: the text must not stay. */
async function takeBack(
  pane: AgentPane,
  before: PromptScreen,
  text: string,
  keys: (...more: string[]) => Promise<unknown>,
): Promise<string> {
  const never = new AbortController().signal;
  const prompt = beforeCursor(before);
  const now = await look(pane, never);
  if ("why" in now) return `Rollcall could not delete it: ${now.why}`;
  // A program that does not show what is typed has it all the same.
  const hidden = beforeCursor(now.screen) === prompt;
  if (!hidden && !shows(now.screen, prompt, text))
    return "Rollcall left it there, because there is other text too";
  await keys("-N", String([...text].length), "BSpace");
  const isEmpty = (screen: PromptScreen) => beforeCursor(screen).trimEnd() === prompt.trimEnd();
  const gone = await until(pane, SHOWN_WITHIN, never, isEmpty);
  return gone ? "Rollcall deleted it" : "Rollcall tried to delete it, but it is still there";
}

async function until(
  pane: AgentPane,
  limit: Millis,
  abort: AbortSignal,
  is: (screen: PromptScreen) => boolean,
): Promise<boolean> {
  const end = performance.now() + limit;
  for (;;) {
    const now = await look(pane, abort);
    if ("screen" in now && is(now.screen)) return true;
    if (abort.aborted || performance.now() >= end) return false;
    await pause(LOOK_EVERY, systemClock, abort);
  }
}

const TEXT = "one line of at most 500 characters to type";

const settings = z.object({
  text: text(TEXT)
    .max(500, TEXT)
    .regex(/^\P{Cc}+$/u, TEXT)
    .meta({ description: "the line that a nudge types" })
    .optional(),
});

export const nudgeStep: RecoveryAdapter<"nudge", typeof settings> = {
  kind: "nudge",
  settings,
  read: ({ text }) => (text === undefined ? { path: "text", message: TEXT } : { do: "nudge", text }),
  open: ({ text }, deps) => nudge(text, deps),
};
