import type { ReadingState } from "../../src/core/screen/reading.ts";
import type { Client } from "./clients.ts";
import type { ModelEvent } from "./fake-model.ts";

/** What a scene may do with the client in its pane. */
export interface Stage {
  readonly client: Client;
  /** Types a line and Enter. */
  say(words: string): Promise<void>;
  keys(...keys: string[]): Promise<void>;
  seconds(n: number): Promise<void>;
  /** Resolves with the next event of this kind from now on; undefined if there is none in time. */
  next(ev: ModelEvent["ev"], within?: number): Promise<ModelEvent | undefined>;
  /** From now on (or from `at`, in milliseconds since the epoch) the truth is this. */
  mark(state: ReadingState, why: string, alt?: readonly ReadingState[], at?: number): void;
  /** No truth is known from here on. */
  unmark(): void;
  /** Ends the client's own process at once. */
  kill(): void;
  /** A command that leaves a file, and whether it has run: a client that asks nobody runs it at once. */
  readonly touch: string;
  started(): boolean;
  /** The client has no tool for what the model was to do. */
  lacks(): boolean;
  /** Only the shell is left in the pane. */
  isOver(): boolean;
}

type Scene = (stage: Stage) => Promise<void>;

/** The request that an order causes; without one the scene says nothing more. */
async function order(stage: Stage, words: string): Promise<ModelEvent | undefined> {
  stage.mark("idle", "prompt ready");
  await stage.seconds(4);
  stage.unmark();
  // Somebody who meets a limit or a hang has talked to the model before.
  await stage.say("hello");
  await stage.next("end", 20);
  await stage.seconds(2);
  stage.mark("idle", "the first answer is over");
  await stage.seconds(5);
  const request = stage.next("request", 20);
  await stage.say(words);
  const asked = await request;
  if (asked === undefined) stage.unmark();
  return asked;
}

/** An error from the server: `alt` while the client tries again, `after` when it has given up. */
function failing(
  words: string,
  state: ReadingState,
  alt: readonly ReadingState[],
  after: readonly ReadingState[],
): Scene {
  return async (stage) => {
    const asked = await order(stage, words);
    if (asked === undefined) return;
    stage.mark(state, "nobody can know yet", [...alt, "working"], asked.at + 300);
    stage.mark(state, `the server answers "${words}"`, alt, asked.at + 3000);
    // Clients wait for up to half a minute before they try again.
    let last = Date.now();
    const end = last + 75_000;
    while (Date.now() < end) {
      const again = await stage.next("request", 12);
      if (again === undefined) break;
      last = Date.now();
    }
    if (Date.now() < end) stage.mark(state, "it gave up, or waits for long", after, last + 3000);
    await stage.seconds(6);
  };
}

/** Scenes in which the client runs commands without asking, and those in which nobody has set it up. */
export const FREE: readonly string[] = ["loop", "tool"];
export const BARE: readonly string[] = ["login"];

export const SCENES: Readonly<Record<string, Scene>> = {
  async turn(stage) {
    const asked = await order(stage, "stream 12");
    if (asked === undefined) return;
    stage.mark("working", "words stream", [], asked.at);
    await stage.next("end", 30);
    stage.mark("idle", "the answer is over");
    await stage.seconds(9);
    await stage.keys("h", "e", "l");
    await stage.seconds(5);
  },
  async permission(stage) {
    const asked = await order(stage, `run ${stage.touch}; sleep 22`);
    if (asked === undefined || stage.lacks()) return stage.unmark();
    stage.mark("working", "the model answers", ["waiting"], asked.at);
    await stage.next("end", 20);
    await stage.seconds(1);
    const done = stage.next("request", 60);
    if (stage.started()) stage.mark("working", "the tool runs, nobody was asked");
    else {
      stage.mark("waiting", "it asks for permission");
      await stage.seconds(14);
      await stage.keys(...(stage.client.approve ?? ["Enter"]));
      stage.unmark();
      await stage.seconds(1);
      if (!stage.started()) return;
      stage.mark("working", "the tool runs");
    }
    const back = await done;
    if (back === undefined) return stage.unmark();
    await stage.seconds(1);
    stage.mark("idle", "the turn is over");
    await stage.seconds(7);
  },
  async question(stage) {
    const asked = await order(stage, "ask Which colour should it be?");
    if (asked === undefined) return;
    stage.unmark();
    // A client that cannot ask, or does not understand how it is asked to, goes on at once.
    const again = await stage.next("request", 3);
    if (again !== undefined || stage.lacks()) return;
    stage.mark("waiting", "it asks a question");
    await stage.seconds(14);
  },
  limit: failing("limit", "limited", ["retrying"], ["idle", "retrying"]),
  throttle: failing("throttle", "limited", ["retrying"], ["idle", "retrying"]),
  denied: failing("denied", "login", ["retrying"], ["idle", "retrying"]),
  overloaded: failing("overloaded", "retrying", [], ["idle"]),
  broken: failing("broken", "retrying", [], ["idle"]),
  cut: failing("cut", "retrying", ["working"], ["idle"]),
  async loop(stage) {
    const asked = await order(stage, "loop date > /dev/null; echo the tests fail");
    stage.unmark();
    if (asked === undefined || stage.lacks()) return;
    const end = Date.now() + 50_000;
    let calls = 0;
    let last = asked.at;
    for (; Date.now() < end; calls += 1) {
      if (calls === 4) stage.mark("looping", "the same call again and again");
      const again = await stage.next("request", 8);
      if (again === undefined) break;
      last = again.at;
    }
    // A client that asks for each call does not loop, and some end a loop by themselves: with a word, or with a question.
    if (calls >= 4 && Date.now() < end)
      stage.mark("idle", "the client ended the loop", ["waiting"], last + 3000);
    await stage.seconds(8);
  },
  async tool(stage) {
    const asked = await order(stage, `run ${stage.touch}; sleep 45`);
    stage.unmark();
    if (asked === undefined || stage.lacks()) return;
    const done = stage.next("request", 70);
    await stage.seconds(5);
    if (!stage.started()) return;
    stage.mark("working", "the tool runs without a word");
    if ((await done) === undefined) return stage.unmark();
    await stage.seconds(1);
    stage.mark("idle", "the turn is over", ["working"]);
    await stage.seconds(9);
  },
  async login(stage) {
    stage.mark("login", "it has no key", ["waiting"]);
    await stage.seconds(15);
  },
  async mute(stage) {
    const asked = await order(stage, "mute");
    if (asked === undefined) return;
    stage.mark("spinning", "the server never answers", [], asked.at);
    await stage.seconds(38);
    stage.unmark();
    const gone = stage.next("gone", 4);
    await stage.keys("Escape");
    if ((await gone) === undefined) return;
    await stage.seconds(2);
    stage.mark("idle", "a person pressed Esc");
    await stage.seconds(7);
  },
  async stall(stage) {
    const asked = await order(stage, "stall");
    if (asked === undefined) return;
    stage.mark("working", "words stream", [], asked.at);
    const quiet = await stage.next("quiet", 20);
    stage.mark("spinning", "the stream has stopped", [], quiet?.at);
    await stage.seconds(34);
  },
  async think(stage) {
    const asked = await order(stage, "think 32");
    if (asked === undefined) return;
    stage.mark("working", "it thinks, with keep-alives on the wire", [], asked.at);
    await stage.next("end", 50);
    await stage.seconds(1);
    stage.mark("idle", "the answer is over");
    await stage.seconds(6);
  },
  async killed(stage) {
    const asked = await order(stage, "mute");
    if (asked === undefined) return;
    stage.mark("working", "it waits for the model", ["spinning"], asked.at);
    await stage.seconds(6);
    stage.kill();
    stage.mark("exited", "killed with -9");
    await stage.seconds(12);
  },
  async exit(stage) {
    stage.mark("idle", "prompt ready");
    await stage.seconds(5);
    await stage.keys(...(stage.client.exit ?? ["C-c", "C-c"]));
    stage.unmark();
    await stage.seconds(3);
    if (!stage.isOver()) return;
    stage.mark("exited", "a person ended it");
    await stage.seconds(12);
  },
  async start(stage) {
    await stage.seconds(25);
  },
};
