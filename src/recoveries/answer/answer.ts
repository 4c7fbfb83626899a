import { createHash } from "node:crypto";
import { type Millis, SECOND } from "../../core/duration.ts";
import { still } from "../../core/screen/normalise.ts";
import { asksForSecret, questionIn, type ScreenQuestion } from "../../core/screen/question.ts";
import { pause } from "../../ports/clock.ts";
import type { Acted, Target } from "../../ports/recovery.ts";
import { systemClock } from "../../system/clock.ts";
import type { Runner } from "../../system/exec.ts";
import { terminalMode } from "../../system/terminal-mode.ts";
import { AgentPane, type LivePane } from "../kit/tmux.ts";

/** A question with its fingerprint: an answer names it, so that it never reaches another question. */
export interface AskedQuestion extends ScreenQuestion {
  readonly fingerprint: string;
}

export type Answer = { readonly fingerprint: string } & (
  | { readonly choice: number }
  | { readonly text: string }
);

type Looked = { readonly question: AskedQuestion; readonly pane: LivePane; readonly screen: string };
type NotLooked = { readonly why: string };

/** A person who is typing pauses for less than this. */
const STILL: Millis = 400;
const LOOK_EVERY: Millis = 50;
const SHOWN_WITHIN: Millis = 3 * SECOND;
/** Many menus take a digit at once; the others, and prompts for a whole line, get Enter after this. */
const AT_ONCE: Millis = SECOND;
const TAKEN_WITHIN: Millis = 5 * SECOND;

/** What the pane of an agent that waits asks now. Logins and passwords are for the pane alone. */
export async function questionOf(
  target: Target,
  run: Runner,
  abort: AbortSignal,
): Promise<AskedQuestion | NotLooked> {
  const looked = await openPane(target, run, abort);
  return "why" in looked ? looked : looked.question;
}

/** Types an answer: looks twice that it is the same question → types → sees that the question is gone. */
export async function answerTo(
  target: Target,
  answer: Answer,
  run: Runner,
  abort: AbortSignal,
): Promise<Acted> {
  const pane = AgentPane.of(target, run);
  const first = await openPane(target, run, abort);
  if (pane === undefined || "why" in first)
    return dropped("why" in first ? first.why : "it has no tmux pane");
  const { id } = target.agent;
  if (first.question.fingerprint !== answer.fingerprint)
    return dropped(`${id} asks another question by now; see it: rollcall answer ${id}`);
  const choice =
    "choice" in answer ? first.question.choices.find(({ number }) => number === answer.choice) : undefined;
  if ("choice" in answer && choice === undefined)
    return dropped(`its question has no choice ${answer.choice}`);
  if ("text" in answer && first.question.choices.length > 0)
    return dropped("its question has choices: answer with the number of one");
  await pause(STILL, systemClock, abort);
  const second = await look(pane, abort);
  if ("why" in second) return dropped(second.why);
  if (stillOf(second.screen) !== stillOf(first.screen))
    return dropped("its screen is changing: it is working, or a person is typing");
  const keys = (...more: string[]) => pane.tmux.sendKeys(second.pane.id, more);
  const takesLines = async () => (await terminalMode(second.pane.terminal, [], run, abort))?.canonical;
  const tookLines = await takesLines();
  const text = choice?.key ?? ("text" in answer ? answer.text : "");
  const typed = await keys("-l", "--", text);
  if (typed.how !== "answered")
    return { outcome: "failed", problem: `tmux did not accept the keys (${typed.problem})` };
  const isGone = (now: Looked | NotLooked) =>
    "why" in now || (now.question.fingerprint !== answer.fingerprint && !isEcho(second, now, text));
  const said = choice === undefined ? JSON.stringify(text) : `${choice.number} (${choice.label})`;
  const done: Acted = { outcome: "done", note: `answered ${said}, and the agent took it` };
  if (choice !== undefined) {
    if (tookLines !== true) {
      if (await until(pane, AT_ONCE, abort, isGone)) return done;
      // A program that wanted a single key gives the terminal back; one that edits a line of its own keeps it.
      if (tookLines === false && (await takesLines()) === true) return done;
    }
  } else if (
    !(await until(pane, SHOWN_WITHIN, abort, (now) => "screen" in now && now.screen.includes(text)))
  ) {
    // A program that does not show what is typed asks for a secret.
    await keys("-N", String([...text].length), "BSpace");
    return dropped("the typed text does not appear; Rollcall deleted it");
  } else if (text.length === 1 && tookLines === false && (await takesLines()) === true) {
    // It wanted a single key: Enter would go to what comes next.
    return done;
  }
  await keys("Enter");
  const isTaken = (now: Looked | NotLooked) => {
    if ("why" in now) return true;
    // A prompt for a line leaves the question and the answer where they are, and goes on below.
    if (tookLines === true)
      return stillOf(now.screen) !== stillOf(second.screen) && !isEcho(second, now, text);
    return choice === undefined ? !now.screen.trimEnd().endsWith(text) : isGone(now);
  };
  if (await until(pane, TAKEN_WITHIN, abort, isTaken)) return done;
  return { outcome: "failed", problem: `the agent did not take the answer ${said}` };
}

async function openPane(target: Target, run: Runner, abort: AbortSignal): Promise<Looked | NotLooked> {
  const { agent, aim } = target;
  const { reading, detail } = aim;
  const pane = AgentPane.of(target, run);
  if (reading === "login")
    return {
      why: `${agent.id} asks for a login, which is done at its pane only: rollcall attach ${agent.id}`,
    };
  if (pane === undefined) return { why: `${agent.id} has no tmux pane, so Rollcall cannot type an answer` };
  if (reading !== "waiting")
    return { why: `${agent.id} does not wait for an answer; see its screen: rollcall peek ${agent.id}` };
  // What a pager or an editor shows is a text, and what is typed there are its commands.
  if (detail === "pager" || detail === "editor") {
    const article = detail === "pager" ? "a" : "an";
    return { why: `${article} ${detail} is open in its pane; close it there: rollcall attach ${agent.id}` };
  }
  const looked = await look(pane, abort);
  if ("question" in looked && asksForSecret(looked.question))
    return { why: "it asks for a secret, which is typed at its pane only" };
  return looked;
}

async function look(pane: AgentPane, abort: AbortSignal): Promise<Looked | NotLooked> {
  const found = await pane.find(abort);
  if ("missing" in found) return { why: found.missing };
  const { id, dead, deaf } = found.pane;
  if (dead) return { why: "its program has ended" };
  if (deaf !== undefined) return { why: deaf };
  const captured = await pane.tmux.capture(id, abort);
  if (captured.how !== "answered") return { why: `Rollcall cannot see its screen (${captured.problem})` };
  const question = questionIn(captured.value.split("\n"));
  if (question === undefined) return { why: "its screen is empty" };
  const asked = { ...question, fingerprint: fingerprintOf(question) };
  return { pane: found.pane, screen: captured.value, question: asked };
}

/** Equal for the same question with the same choices, and hard to forge: an agent draws its own screen. */
function fingerprintOf({ text, choices }: ScreenQuestion): string {
  const asked = JSON.stringify([stillOf(text), choices.map(({ label }) => label)]);
  return createHash("sha256").update(asked).digest("base64url").slice(0, 16);
}

/** A prompt for a whole line shows the key that was typed and waits for Enter: nothing but this key is new in its row. */
function isEcho(before: Looked, now: Looked, typed: string): boolean {
  if (before.pane.cursor.y !== now.pane.cursor.y) return false;
  const [old = "", shown = "", word = ""] = [before.screen, now.screen, typed].map((text) =>
    stillOf(text).replace(/\s+/g, ""),
  );
  let same = 0;
  while (same < old.length && old[same] === shown[same]) same += 1;
  return shown.slice(same) === word + old.slice(same);
}

/** A screen without what blinks while it waits. */
function stillOf(screen: string): string {
  return screen.split("\n").map(still).join("\n");
}

function dropped(why: string): Acted {
  return { outcome: "dropped", why };
}

async function until(
  pane: AgentPane,
  limit: Millis,
  abort: AbortSignal,
  is: (now: Looked | NotLooked) => boolean,
): Promise<boolean> {
  const end = performance.now() + limit;
  for (;;) {
    if (is(await look(pane, abort))) return true;
    if (abort.aborted || performance.now() >= end) return false;
    await pause(LOOK_EVERY, systemClock, abort);
  }
}
