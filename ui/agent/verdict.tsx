import type { AgentView, NextStepView } from "../api/shapes.ts";
import { Ago } from "../parts/ago.tsx";
import { StateWord } from "../parts/glyph.tsx";

/** What Rollcall does about it, what would change its state, and behind a click what the verdict rests on. */
export function Verdict(props: { agent: AgentView; nextStep: NextStepView | null }) {
  const { agent, nextStep } = props;
  const { evidence = [], outlook = [] } = agent;
  return (
    <section class="card" aria-labelledby="verdict">
      <h2 id="verdict">What happens next</h2>
      {nextStep !== null && (
        <p>
          {nextStep.step === null ? "No recovery step" : `Next step: ${nextStep.step}`}
          {nextStep.at !== null && (
            <>
              {" "}
              <Ago at={nextStep.at} />
            </>
          )}
          <span class="quiet">: {nextStep.why}</span>
        </p>
      )}
      {outlook.length === 0 ? (
        <p class="quiet">It stays {agent.state} until Rollcall sees new activity.</p>
      ) : (
        <ul class="evidence">
          {outlook.map(({ at, state, reason }) => (
            <li key={at}>
              <StateWord state={state} />
              <span class="quiet">
                <code>{reason}</code>
              </span>
              <Ago at={at} />
            </li>
          ))}
        </ul>
      )}
      <details class="why-details">
        <summary>Why {agent.state}?</summary>
        <p class="quiet small">
          reason <code>{agent.reason}</code>
        </p>
        {evidence.length === 0 ? (
          <p class="quiet">No evidence yet.</p>
        ) : (
          <ul class="evidence">
            {evidence.map(({ signal, at, says }) => (
              <li key={`${signal}${at}${says}`}>
                <span class="tag">{signal}</span>
                <span>{says}</span>
                <Ago at={at} />
              </li>
            ))}
          </ul>
        )}
      </details>
    </section>
  );
}
