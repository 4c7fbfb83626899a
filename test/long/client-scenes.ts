import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ClientStage } from "./client-stage.ts";

type Scene = (stage: ClientStage) => Promise<void>;

/** Answers that carry words all the time: from them the wire's rhythm is learnt. */
async function warm(stage: ClientStage): Promise<void> {
  await stage.say("stream 15", "end", 40);
  await wait(3000);
}

/** An error that the model's side answers with. A client may try again: the seconds count from its last attempt. */
function error(words: string, what: string, states: readonly string[], within: number): Scene {
  return async (stage) => {
    await warm(stage);
    await stage.say(words, "status");
    const answers = () => stage.model.events.filter(({ ev, order }) => ev === "status" && order === words);
    const seen = await stage.see(what, states, () => answers().at(-1)?.at ?? 0, within, ["alive"]);
    const attempts = answers().filter(({ at }) => at <= (seen.hooks ?? Date.now())).length;
    await wait(15_000);
    const later = answers().filter(({ at }) => at > (seen.hooks ?? Date.now())).length;
    stage.seen[`${what}, attempts`] = { hooks: `${attempts}${later === 0 ? "" : `, then ${later}`}` };
  };
}

/** Asks for a command that leaves a file; resolves when the client asks, or has run it. */
async function run(stage: ClientStage, seconds: number): Promise<{ file: string; words: string }> {
  const file = join(stage.work, "started");
  const words = `run touch ${file}; sleep ${seconds}`;
  const asked = await stage.say(words, "end");
  await stage.see("permission", ["waiting"], asked, 40);
  return { file, words };
}

/** What is played with each client. Each scene has a client of its own. */
export const SCENES: Readonly<Record<string, Scene>> = {
  async turn(stage) {
    await stage.say("hello", "end");
    await wait(3000);
    const asked = await stage.say("stream 20");
    await stage.see("a turn", ["alive"], asked, 20);
    await stage.see("its end", ["resting"], await stage.happened("end", "stream 20", asked, 40), 40);
  },
  async tool(stage) {
    await stage.say("hello", "end");
    await wait(3000);
    const { file, words } = await run(stage, 120);
    await stage.type(...(stage.client.approve ?? ["Enter"]));
    for (let i = 0; i < 100 && !existsSync(file); i += 1) await wait(100);
    const began = Date.now();
    await stage.see("a silent tool begins", ["alive"], began, 30);
    await stage.stays("… for two minutes", ["alive"], began + 118_000 - Date.now());
    await stage.see("… and ends", ["resting"], await stage.happened("end", words, Date.now(), 30), 40);
  },
  async question(stage) {
    await stage.say("hello", "end");
    await wait(3000);
    await stage.type(...(stage.client.planned ?? []));
    const asked = await stage.say("ask Which colour should it be?", "end");
    await stage.see("a question", ["waiting"], asked, 40);
  },
  async refused(stage) {
    await stage.say("hello", "end");
    await wait(3000);
    await run(stage, 5);
    const pressed = Date.now();
    await stage.type("Escape");
    await stage.see("permission denied", ["resting"], pressed, 60);
  },
  async escape(stage) {
    await stage.say("hello", "end");
    await wait(3000);
    await stage.see("it thinks without a word", ["alive"], await stage.say("ponder 90"), 20);
    await stage.stays("… for fifteen seconds", ["alive"], 15_000);
    const pressed = Date.now();
    await stage.press(stage.client.interrupt ?? ["Escape"]);
    await stage.see("Esc", ["resting"], pressed, 60);
  },
  limit: error("limit", "429, back in an hour", ["limited"], 180),
  login: error("denied", "401", ["waiting"], 180),
  overloaded: error("overloaded", "503", ["resting"], 180),
  stall: async (stage) => {
    await warm(stage);
    const asked = await stage.say("stall");
    const quiet = await stage.happened("quiet", "stall", asked, 20);
    await stage.see("hang in the stream", ["stalled"], quiet, 66);
  },
  async mute(stage) {
    await warm(stage);
    await stage.see("hang before the headers", ["stalled"], await stage.say("mute"), 70);
  },
  async loop(stage) {
    await stage.say("hello", "end");
    await wait(3000);
    const asked = await stage.say("loop true");
    const seen = await stage.see("a loop", ["stalled"], asked, 120);
    const calls = stage.model.events.filter(({ ev, order }) => ev === "end" && order === "loop true");
    for (const [mode, at] of Object.entries(seen))
      stage.seen["… by its call"] = {
        ...stage.seen["… by its call"],
        [mode]: String(calls.filter((call) => call.at <= at).length),
      };
  },
  async crash(stage) {
    await stage.say("hello", "end");
    await stage.say("ponder 60");
    await wait(5000);
    const at = Date.now();
    stage.kill("SIGSEGV");
    await stage.see("crash", ["dead"], at, 40);
  },
  async killed(stage) {
    await stage.say("hello", "end");
    await stage.say("ponder 60");
    await wait(5000);
    const at = Date.now();
    stage.kill("SIGKILL");
    await stage.see("kill -9", ["dead"], at, 40);
  },
  async exit(stage) {
    await stage.say("hello", "end");
    await wait(5000);
    const at = Date.now();
    await stage.type(...(stage.client.exit ?? ["C-c", "C-c"]));
    await stage.see("exit", ["resting (ended"], at, 40);
  },
};
