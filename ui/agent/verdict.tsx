import type { AgentView, IncidentView, NextStepView } from "../api/shapes.ts";
import { now } from "../kit/clock.ts";
import { address } from "../kit/place.ts";
import { Link } from "../kit/router.tsx";
import { Ago } from "../parts/ago.tsx";
import { coloursOf, StateWord } from "../parts/glyph.tsx";
import { onThisClock } from "../words/dates.ts";

/** The sentence, what it rests on, and what would change it. */
export function Verdict(props: {
  agent: AgentView;
  incident: IncidentView | undefined;
  nextStep: NextStepView | null;
}) {
  const { agent, incident, nextStep } = props;
  const { evidence = [], outlook = [] } = agent;
  return (
    <section class="card" aria-labelledby="verdict">
      <h2 id="verdict">Verdict</h2>
      <p class="why" style={coloursOf(agent.state)}>
        {onThisClock(agent.why, now())}
      </p>
      <p class="quiet small">
        reason <code>{agent.reason}</code>
        {incident !== undefined && (
          <>
            {" · "}
            <Link to={address("incidents", incident.id)}>open incident</Link>
          </>
        )}
      </p>
      <h3>Evidence</h3>
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
      <h3>If nothing new happens</h3>
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
      {nextStep !== null && (
        <>
          <h3>What Rollcall does about it</h3>
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
        </>
      )}
    </section>
  );
}
