import type { Asks } from "../asks.ts";
import { isRecord } from "../beat-input.ts";
import { redact } from "../redact.ts";

type Json = Readonly<Record<string, unknown>>;

/** What is kept of names and of texts that people are shown. */
export const NAME = 128;
/** The tools by which a model asks a person: the call itself is the question. */
export const ASKING =
  /^(?:AskUserQuestion|ExitPlanMode|exit_plan_mode|request_user_input|ask_user_question|ask_user|question)$/;
const QUESTION = 500;
const CHOICES = 10;

/** The question among the arguments of a tool that asks a person. */
export function questionIn(input: Json): Asks | undefined {
  const [first] = Array.isArray(input.questions) ? input.questions.filter(isRecord) : [input];
  if (first === undefined) return undefined;
  const question = textOf(first.question) ?? textOf(first.message) ?? textOf(first.plan);
  if (question === undefined) return undefined;
  const options = first.options ?? first.choices;
  const choices = (Array.isArray(options) ? options : []).flatMap((option: unknown) => {
    const label = isRecord(option) ? textOf(option.label) : textOf(option);
    return label === undefined ? [] : [shown(label)];
  });
  return {
    question: shown(question),
    ...(choices.length === 0 ? {} : { choices: choices.slice(0, CHOICES) }),
  };
}

export function commandIn(input: Json): string | undefined {
  const { command, cmd } = input;
  if (Array.isArray(command)) return command.map(String).join(" ");
  return textOf(command) ?? textOf(cmd) ?? textOf(input.file_path) ?? textOf(input.path);
}

/** Text of an agent as people may see it: short, on one line, without its secrets. */
export function shown(text: string): string {
  const line = redact(text.slice(0, 8 * QUESTION))
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= QUESTION ? line : `${line.slice(0, QUESTION - 1)}…`;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
