import { change } from "../api/ask.ts";
import { mayChange } from "../api/session.ts";
import type { AgentView, HandlesAnswer, QuestionAnswer } from "../api/shapes.ts";
import { useRead } from "../api/use-read.ts";
import { now } from "../kit/clock.ts";
import { useValue } from "../kit/observable.ts";
import { onThisClock } from "../words/dates.ts";
import { Act } from "./act.tsx";
import { Command } from "./command.tsx";

/** An agent that waits may ask the next question without a word in between. */
const AGAIN = 5000;

/** Why there is no question to read. */
const NO_QUESTION = {
  here: "it has no tmux pane",
  far: "its host has read no question",
} as const;

/** What an agent asks, in its own words; its choices as buttons for those who may, and the way to its pane. */
export function Question({ agent }: { agent: AgentView }) {
  const may = useValue(mayChange);
  const path = `/agents/${encodeURIComponent(agent.id)}`;
  const options = { version: agent.since, every: AGAIN };
  // Its host tells a hub of the question a moment after it tells that the agent waits.
  const handles = useRead<HandlesAnswer>(`${path}/handles`, options);
  const none = handles.value?.question === false;
  const mayRead = handles.value !== undefined && !none;
  const asked = useRead<QuestionAnswer>(mayRead ? `${path}/question` : undefined, options);
  const { value: question, problem } = asked;
  const answer = (choice: number) => async () => {
    await change("POST", `${path}/answer`, { fingerprint: question?.fingerprint, choice });
    asked.again();
  };
  const isReadable = mayRead && question !== undefined && problem === undefined;
  const cannot = none ? NO_QUESTION[agent.origin === "host" ? "far" : "here"] : problem?.why;
  return (
    <>
      {isReadable ? (
        <pre class="question">{question.text}</pre>
      ) : (
        <p class="question-not">
          {cannot === undefined ? "Reading its question …" : onThisClock(agent.why, now())}
        </p>
      )}
      {isReadable && question.choices.length > 0 && may && (
        <div class="choices" role="group" aria-label={`Answers to ${agent.id}`}>
          {question.choices.map(({ number, label }) => (
            <Act
              key={number}
              does={answer(number)}
              done={`Answered ${agent.id}: ${number}, ${label}.`}
              class="choice"
              label={`answer ${agent.id}: ${number}, ${label}`}
            >
              <kbd>{number}</kbd>
              <span>{label}</span>
            </Act>
          ))}
        </div>
      )}
      {isReadable && question.choices.length > 0 && !may && (
        <p class="quiet small">Sign in with a token of scope admin to answer here.</p>
      )}
      {cannot !== undefined && <p class="quiet small">It cannot be answered here: {cannot}.</p>}
      {handles.value?.attach != null && <Command text={handles.value.attach} />}
    </>
  );
}
