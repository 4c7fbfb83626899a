import { Command } from "commander";
import { muteOf } from "../../core/incident/mute.ts";
import { type StateCounts, sumOf } from "../../core/liveness/state.ts";
import { missingStep } from "../../core/recovery/words.ts";
import { operationsOf } from "../../service/connect.ts";
import type { AgentWithPing } from "../../service/operations.ts";
import { examples, userName } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import { type FullScreen, fullScreen, type Taken } from "../output/full-screen.ts";
import { type CalledRoll, type CommonOptions, lookAtTheRoll } from "../output/roll.ts";
import { inOrder, rollColumns, summary } from "../output/roll-table.ts";
import {
  bold,
  dim,
  inverse,
  onThisClock,
  paintState,
  pictureOnly,
  plain,
  table,
  when,
  wrap,
} from "../output/terminal.ts";
import { attaching } from "./attach.ts";
import { explanation } from "./explain.ts";
import { TopQuestion } from "./top-question.ts";

/** As `?` and the command's help list them. */
const ALL_KEYS = `\
  ↑ ↓ PgUp PgDn   choose an agent        n  nudge it
  Enter           show its screen        r  restart it
  e               explain its state      t  attach: go to its tmux pane
  y, then 1 to 9  answer the question that it asks, by the number of a choice
  a               acknowledge            s  mute it for an hour, or end that
  i               list the incidents     /  filter by what you type
  Esc             go back                q  quit
  ?               list the keys`;

export function topCommand(): Command {
  return new Command("top")
    .description("watch the whole fleet on the full screen, and act on one agent with a key")
    .addHelpText("after", `\nKeys:\n${ALL_KEYS}\n${examples("top")}`)
    .action(async (options: CommonOptions) => {
      if (process.stdout.isTTY !== true || process.stdin.isTTY !== true)
        throw new Failure("top needs a terminal; for a pipe or a file use: rollcall status", 2);
      const roll = await lookAtTheRoll(options);
      await fullScreen((taken) => new Top(options, taken, roll));
    });
}

const [UP, DOWN, PAGE_UP, PAGE_DOWN, HOME, END] = [
  "\x1b[A",
  "\x1b[B",
  "\x1b[5~",
  "\x1b[6~",
  "\x1b[H",
  "\x1b[F",
];
const ESCAPE = "\x1b";
const ENTER = "\r";
const BACKSPACE = /^[\x7f\b]$/;

/** They fit 80 columns. */
const KEYS = [
  ...[
    ["⏎", "screen"],
    ["e", "why"],
    ["a", "ack"],
    ["s", "mute"],
    ["n", "nudge"],
  ],
  ...[
    ["r", "restart"],
    ["t", "attach"],
    ["i", "incidents"],
    ["/", "find"],
    ["q", "quit"],
  ],
] as const;

type View = "roll" | "screen" | "explain" | "incidents" | "question" | "keys";

/** What `top` shows and does. It draws from what was read last; reading is done by `refresh`. */
class Top implements FullScreen {
  readonly #where: CommonOptions;
  readonly #taken: Taken;
  #agents: readonly AgentWithPing[];
  /** Of the whole fleet, of which not everybody may have been read. */
  #counts: StateCounts;
  #view: View = "roll";
  /** The chosen agent: it stays chosen wherever it moves to. */
  #chosen: string | undefined;
  #filter = "";
  #isTyping = false;
  /** The text of the view that is not the roll, and the rows of it above the screen. */
  #page: readonly string[] = [];
  #scroll = 0;
  #question: TopQuestion | undefined;
  #said = "";
  #asked: { readonly question: string; readonly deed: () => Promise<string> } | undefined;
  #rows = 24;

  constructor(where: CommonOptions, taken: Taken, { agents, counts }: CalledRoll) {
    this.#where = where;
    this.#taken = taken;
    this.#agents = inOrder(agents);
    this.#counts = counts;
    this.#chosen = this.#agents[0]?.id;
  }

  get #operations() {
    return operationsOf(this.#where);
  }

  get #listed(): readonly AgentWithPing[] {
    const sought = this.#filter.toLowerCase();
    if (sought === "") return this.#agents;
    return this.#agents.filter(({ id, name, state, group, host, why }) =>
      [id, name, state, group, host, why].some((text) => text?.toLowerCase().includes(sought) === true),
    );
  }

  draw(rows: number): string {
    this.#rows = rows;
    const foot = this.#line().split("\n");
    const body = rows - 2 - foot.length;
    const head = this.#view === "roll" ? summary(this.#counts) : this.#title();
    const lines = this.#view === "roll" ? this.#drawRoll(body) : this.#drawPage(body);
    while (lines.length < body) lines.push("");
    return [head, ...lines.slice(0, body), ...foot, this.#keys()].join("\n");
  }

  #title(): string {
    if (this.#view === "incidents") return bold("Open incidents");
    if (this.#view === "keys") return bold("Keys");
    const agent = this.#view === "question" ? this.#question?.agent : this.#chosen;
    return `${bold(agent ?? "")}: ${this.#view}`;
  }

  #drawRoll(body: number): string[] {
    const listed = this.#listed;
    if (listed.length === 0)
      return ["", this.#filter === "" ? "No agent yet." : "No agent matches the filter."];
    const at = Math.max(
      0,
      listed.findIndex(({ id }) => id === this.#chosen),
    );
    const room = Math.max(1, body - 1);
    const from = Math.min(Math.max(0, at - Math.floor(room / 2)), Math.max(0, listed.length - room));
    const shown = listed.slice(from, from + room);
    const now = Date.now();
    const lines = table(shown, rollColumns(now)).split("\n");
    return lines.map((line, row) => (row === at - from + 1 ? inverse(line) : line));
  }

  /** An agent's screen is read from its bottom; below a question are its choices. */
  get #isFromBottom(): boolean {
    return this.#view === "screen" || this.#view === "question";
  }

  #drawPage(body: number): string[] {
    const most = Math.max(0, this.#page.length - body);
    const from = this.#isFromBottom ? Math.max(0, most - this.#scroll) : Math.min(this.#scroll, most);
    return this.#page.slice(from, from + body);
  }

  #line(): string {
    if (this.#asked !== undefined) return bold(`${this.#asked.question} [y/n]`);
    if (!this.#isTyping && this.#said !== "") return this.#said;
    const count = `${this.#listed.length} of ${sumOf(this.#counts)}`;
    const typed = `/${plain(this.#filter)}${this.#isTyping ? "▏" : ""}  ${dim(count)}`;
    if (this.#isTyping) return typed;
    return [this.#filter === "" ? "" : typed, this.#answerHint()].filter(Boolean).join("  ");
  }

  /** Only for an agent that waits: the line of keys is full. */
  #answerHint(): string {
    const waits = this.#agents.some(({ id, state }) => id === this.#chosen && state === "waiting");
    return this.#view === "roll" && waits ? `${bold("y")} ${dim(`answer ${this.#chosen}`)}` : "";
  }

  #keys(): string {
    if (this.#isTyping) return dim("type to filter   Enter keep   Esc clear");
    if (this.#view === "question") return dim(this.#question?.keys() ?? "");
    if (this.#view !== "roll") return dim("↑↓ scroll   Esc back   q quit");
    return KEYS.map(([key, what]) => `${bold(key)} ${dim(what)}`).join(" ");
  }

  async refresh(): Promise<void> {
    const roll = await lookAtTheRoll(this.#where, this.#filter);
    this.#agents = inOrder(roll.agents);
    this.#counts = roll.counts;
    if (!this.#agents.some(({ id }) => id === this.#chosen)) this.#chosen = this.#listed[0]?.id;
    if (this.#view !== "roll") await this.#read();
  }

  /** Reads what the view shows. */
  async #read(): Promise<void> {
    const id = this.#chosen;
    if (this.#view === "incidents") this.#page = await this.#incidents();
    else if (this.#view === "keys") this.#page = ALL_KEYS.split("\n");
    else if (this.#view === "question") this.#page = this.#question?.page() ?? [];
    else if (id !== undefined)
      this.#page = this.#view === "screen" ? await this.#screenOf(id) : await explanation(this.#where, id);
  }

  async #screenOf(id: string): Promise<readonly string[]> {
    try {
      const raw = await this.#operations.peek(id, "raw");
      // Lines with colours are a pane's; the bytes of a log also move the cursor, so its screen is drawn.
      if (!/\x1b\[[0-9;?]*[A-LN-Za-ln-z]/.test(raw)) return raw.trimEnd().split("\n").map(pictureOnly);
      return (await this.#operations.peek(id, "screen")).split("\n").map(plain);
    } catch (error) {
      return wrap(plain(error instanceof Error ? error.message : String(error))).split("\n");
    }
  }

  async #incidents(): Promise<readonly string[]> {
    const { items } = await this.#operations.incidents({ which: "open", grouped: true }, { limit: 200 });
    if (items.length === 0) return ["No incident is open."];
    return table(items, [
      { title: "INCIDENT", text: ({ id }) => id, most: 40, least: 16, cut: "middle" },
      { title: "STATE", text: ({ state }) => state, paint: ({ state }, text) => paintState(state, text) },
      { title: "OPENED", text: ({ openedAt }) => when(openedAt), drop: 1 },
      { title: "WHY", text: ({ why }) => onThisClock(why, Date.now()) },
    ]).split("\n");
  }

  async key(key: string): Promise<"end" | "again" | undefined> {
    if (this.#asked !== undefined) return this.#confirm(key);
    if (this.#isTyping) return this.#type(key);
    this.#said = "";
    if (key === "q" || key === "Q") return "end";
    if (key === ESCAPE) return this.#back();
    if (this.#move(key)) return undefined;
    if (this.#view === "question") return /^\d$/.test(key) ? this.#answer(key) : undefined;
    return this.#view === "roll" ? this.#act(key) : undefined;
  }

  #back(): undefined {
    if (this.#view === "roll") this.#filter = "";
    this.#view = "roll";
  }

  #type(key: string): undefined {
    if (key === ENTER || key === ESCAPE) this.#isTyping = false;
    if (key === ESCAPE) this.#filter = "";
    else if (BACKSPACE.test(key)) this.#filter = [...this.#filter].slice(0, -1).join("");
    else if (!/^\p{Cc}/u.test(key)) this.#filter += key;
    if (!this.#listed.some(({ id }) => id === this.#chosen)) this.#chosen = this.#listed[0]?.id;
  }

  async #confirm(key: string): Promise<undefined> {
    const asked = this.#asked;
    this.#asked = undefined;
    if (key !== "y" && key !== "Y") this.#said = "nothing was done";
    else await this.#do(asked?.deed);
  }

  #move(key: string): boolean {
    const page = Math.max(1, this.#rows - 5);
    const by = { [UP]: -1, k: -1, [DOWN]: 1, j: 1, [PAGE_UP]: -page, [PAGE_DOWN]: page }[key];
    const far = { [HOME]: -1e9, g: -1e9, [END]: 1e9, G: 1e9 }[key];
    const step = by ?? far;
    if (step === undefined) return false;
    if (this.#view !== "roll") {
      const most = Math.max(0, this.#page.length - (this.#rows - 3));
      this.#scroll = Math.min(most, Math.max(0, this.#scroll + (this.#isFromBottom ? -step : step)));
      return true;
    }
    const listed = this.#listed;
    const at = listed.findIndex(({ id }) => id === this.#chosen);
    this.#chosen = listed[Math.min(listed.length - 1, Math.max(0, at + step))]?.id ?? this.#chosen;
    return true;
  }

  async #act(key: string): Promise<"again" | undefined> {
    const id = this.#chosen;
    if (key === "/") this.#isTyping = true;
    else if (key === "i") await this.#show("incidents");
    else if (key === "?") await this.#show("keys");
    else if (id === undefined) this.#said = "no agent is chosen";
    else if (key === ENTER) await this.#show("screen");
    else if (key === "e") await this.#show("explain");
    else if (key === "y") await this.#do(() => this.#readQuestion(id));
    else if (key === "a") await this.#do(() => this.#acknowledge(id));
    else if (key === "s") await this.#do(() => this.#silence(id));
    else if (key === "n") await this.#do(() => this.#askFor("nudge", id));
    else if (key === "r") await this.#do(() => this.#askFor("restart", id));
    else if (key === "t") await this.#do(() => this.#attach(id));
    else return undefined;
    return undefined;
  }

  async #show(view: View): Promise<void> {
    this.#view = view;
    this.#scroll = 0;
    this.#page = [dim("…")];
    this.#taken.paint();
    await this.#read();
  }

  /** Asks whether a step shall be taken. Which steps an agent of another host has, only that host knows. */
  async #askFor(step: "nudge" | "restart", id: string): Promise<string> {
    const isFar = this.#agents.some((agent) => agent.id === id && agent.origin === "host");
    const { steps } = await this.#operations.handles(id);
    if (!isFar && !steps.includes(step)) throw new Failure(missingStep(step));
    const question = `${step === "nudge" ? "Nudge" : "Restart"} ${id}?`;
    this.#asked = { question, deed: () => this.#operations.takeStep(id, step) };
    return "";
  }

  /** Does something, and says in the lines above the keys what came of it. */
  async #do(deed: (() => Promise<string> | undefined) | undefined): Promise<void> {
    this.#said = dim("…");
    this.#taken.paint();
    try {
      this.#said = wrap(plain((await deed?.()) ?? ""));
    } catch (error) {
      const lines = wrap(plain(error instanceof Error ? error.message : String(error))).split("\n");
      this.#said = lines.map(bold).join("\n");
    }
  }

  async #readQuestion(id: string): Promise<string> {
    this.#question = await TopQuestion.read(this.#operations, id);
    await this.#show("question");
    return "";
  }

  async #answer(digit: string): Promise<"again" | undefined> {
    const refusal = this.#question?.refusalOf(digit);
    if (refusal !== undefined) {
      this.#said = wrap(refusal);
      return undefined;
    }
    await this.#do(() => this.#question?.answer(digit));
    this.#back();
    return "again";
  }

  async #acknowledge(id: string): Promise<string> {
    const { items } = await this.#operations.incidents({ about: id, which: "open" }, { limit: 1 });
    const [open] = items;
    if (open === undefined) return `${id} has no open incident`;
    await this.#operations.acknowledge(open.id, userName());
    return `acknowledged ${open.id}`;
  }

  /** A mute of this agent alone is ended; one of others as well is left to who made it. */
  async #silence(id: string): Promise<string> {
    const agent = this.#agents.find((each) => each.id === id);
    const mute = agent && muteOf(await this.#operations.silences(), agent, Date.now());
    if (mute?.agents === id) {
      await this.#operations.endSilence(mute.id);
      return `ended the mute of ${id}`;
    }
    if (mute !== undefined) return `${id} is muted with others; to end this: rollcall silence end ${mute.id}`;
    await this.#operations.addSilence({ agents: id, for: "1h", why: "from rollcall top", by: userName() });
    return `muted ${id} for an hour`;
  }

  async #attach(id: string): Promise<string> {
    const { go } = await attaching(id, this.#where);
    this.#taken.lend(go);
    return `back from ${id}`;
  }
}
