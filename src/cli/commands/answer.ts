import { Command } from "commander";
import { operationsOf } from "../../service/connect.ts";
import type { QuestionView } from "../../service/operations.ts";
import { examples } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import { type CommonOptions, mustBeOnRoll } from "../output/roll.ts";
import { bold, dim, plain, say, sayDone, sayJson } from "../output/terminal.ts";
import { cut } from "../output/width.ts";

/** So many lines of a question are shown with its answer. */
const QUOTED = 4;
/** So much of a label stands in a refusal. */
const NAMED = 24;

interface Options extends CommonOptions {
  readonly question?: string;
}

export function answerCommand(): Command {
  return new Command("answer")
    .description(
      "answer the question that an agent asks in its tmux pane; without [answer], show the question",
    )
    .argument("<agent>", "the id of the agent")
    .argument("[answer]", "the number of a choice, or how its label begins, or text to type")
    .option(
      "--question <fingerprint>",
      "answer only if the agent still asks the question with this fingerprint, which `rollcall answer AGENT` prints",
    )
    .option("--json", "print JSON: {agent, question}; after an answer {agent, question, note}")
    .addHelpText(
      "after",
      `${examples("answer allegro", "answer allegro 1", 'answer allegro "use the staging database"')}

With --question, Rollcall types your answer only if the agent still asks the
question that you saw. Without it, Rollcall answers whatever the agent asks now.
It never answers a prompt for a login or a password.`,
    )
    .action(async (agent: string, answer: string | undefined, { json, ...options }: Options) => {
      await mustBeOnRoll(options, agent);
      const operations = operationsOf(options);
      const question = await operations.question(agent);
      if (answer === undefined)
        return json === true ? sayJson({ agent, question }) : say(show(agent, question));
      const { fingerprint } = options.question === undefined ? question : { fingerprint: options.question };
      const choice = choiceOf(question, answer);
      if (choice === undefined && question.choices.length > 0)
        throw new Failure(notOffered(agent, question, answer));
      const wish = choice ? { choice: choice.number, fingerprint } : { text: answer, fingerprint };
      const note = await operations.answer(agent, wish, true);
      // What was answered stands there too: without --question it may be another question than the person saw.
      const asked = question.text.trim().split("\n").slice(-QUOTED);
      sayDone(json, { agent, question, note }, `${agent}: ${note}`);
      if (json !== true) for (const line of asked) say(indented(line));
    });
}

function show(agent: string, question: QuestionView): string {
  const { choices, fingerprint } = question;
  const example = choices.length === 0 ? '"your text"' : String(choices[0]?.number);
  return [
    ...questionLines(question),
    "",
    `Answer: rollcall answer ${agent} ${example} ${dim(`--question ${fingerprint}`)}`,
  ].join("\n");
}

/** The agent's own words, and what can be answered. */
export function questionLines({ text, choices }: QuestionView): readonly string[] {
  const offered = choices.map(({ number, label }) => `  ${bold(String(number))}  ${plain(label)}`);
  return [
    ...text.split("\n").map(indented),
    "",
    ...(offered.length === 0 ? ["  It offers no choices: answer with text."] : offered),
  ];
}

/** The choice of this number or label; or the only one whose label begins so, such as `y`. */
function choiceOf({ choices }: QuestionView, answer: string): QuestionView["choices"][number] | undefined {
  const said = answer.toLowerCase();
  const whole = choices.find(
    ({ number, label }) => String(number) === answer || label.toLowerCase() === said,
  );
  const begun = choices.filter(({ label }) => said !== "" && label.toLowerCase().startsWith(said));
  return whole ?? (begun.length === 1 ? begun[0] : undefined);
}

/** The refusal of an answer that is none of the choices. */
export function notOffered(agent: string, { choices }: QuestionView, answer: string): string {
  const offered = choices.map(({ number, label }) => `${number} (${cut(plain(label), NAMED)})`).join(", ");
  return `${agent} offers ${offered}: answer with one of these numbers, not "${plain(answer)}"`;
}

function indented(line: string): string {
  return `  ${plain(line)}`;
}
