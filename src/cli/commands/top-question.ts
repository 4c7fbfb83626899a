import type { Operations, QuestionView } from "../../service/operations.ts";
import { wrap } from "../output/terminal.ts";
import { notOffered, questionLines } from "./answer.ts";

/** What one agent asks, as `top` shows it. It is read once: nobody shall answer another question than the one they read. */
export class TopQuestion {
  readonly agent: string;
  readonly #operations: Operations;
  readonly #asked: QuestionView;

  private constructor(operations: Operations, agent: string, asked: QuestionView) {
    this.#operations = operations;
    this.agent = agent;
    this.#asked = asked;
  }

  static async read(operations: Operations, agent: string): Promise<TopQuestion> {
    return new TopQuestion(operations, agent, await operations.question(agent));
  }

  /** As lines that fit the terminal. */
  page(): readonly string[] {
    const command = this.#asked.choices.length > 0 ? [] : ["", `  rollcall answer ${this.agent} "your text"`];
    return [...questionLines(this.#asked), ...command].flatMap((line) => wrap(line).split("\n"));
  }

  keys(): string {
    const { choices } = this.#asked;
    const answer = choices.length === 0 ? "" : `${choices[0]?.number} to ${choices.at(-1)?.number} answer   `;
    return `${answer}↑↓ scroll   Esc back without an answer   q quit`;
  }

  /** Why a digit is no answer; undefined if it is one. */
  refusalOf(digit: string): string | undefined {
    const { choices } = this.#asked;
    if (choices.some(({ number }) => String(number) === digit)) return undefined;
    return choices.length > 0
      ? notOffered(this.agent, this.#asked, digit)
      : `${this.agent} offers no choices: answer with text`;
  }

  async answer(digit: string): Promise<string> {
    const { fingerprint } = this.#asked;
    const note = await this.#operations.answer(this.agent, { choice: Number(digit), fingerprint }, true);
    return `${this.agent}: ${note}`;
  }
}
