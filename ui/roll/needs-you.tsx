import { useEffect, useRef, useState } from "preact/hooks";
import type { AgentView } from "../api/shapes.ts";
import { address } from "../kit/place.ts";
import { Link } from "../kit/router.tsx";
import { Ago } from "../parts/ago.tsx";
import { Glyph } from "../parts/glyph.tsx";
import { Question } from "../parts/question.tsx";

/** More would push the roll off the screen; the rest is one click away. */
const SHOWN = 4;

/** The agents that wait for a person, the longest first, each with its question and the ways to answer it. */
export function NeedsYou({ all }: { all: readonly AgentView[] }) {
  const [isAll, setAll] = useState(false);
  const waiting = all
    .filter(({ state }) => state === "waiting")
    .sort((a, b) => (a.since === b.since ? (a.id < b.id ? -1 : 1) : a.since < b.since ? -1 : 1));
  if (waiting.length === 0) return null;
  const shown = isAll ? waiting : waiting.slice(0, SHOWN);
  return (
    <section class="needs" aria-label="Agents that need you">
      {shown.map((agent) => (
        <Card key={agent.id} agent={agent} />
      ))}
      {shown.length < waiting.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show {waiting.length - shown.length} more
        </button>
      )}
    </section>
  );
}

function Card({ agent }: { agent: AgentView }) {
  const wasUsed = useRef(false);
  useEffect(
    () => () => {
      if (wasUsed.current) keepFocus();
    },
    [],
  );
  return (
    <article
      class="need"
      aria-label={`${agent.id} waits`}
      data-need={agent.id}
      onFocusCapture={() => {
        wasUsed.current = true;
      }}
      onBlurCapture={({ relatedTarget }) => {
        // Where the focus goes nowhere, a button of this card went out of use.
        if (relatedTarget !== null) wasUsed.current = false;
      }}
    >
      <h2>
        <Glyph state="waiting" />
        <Link to={address("agents", agent.id)}>{agent.id}</Link>
        {agent.name !== null && agent.name !== agent.id && <span class="name">{agent.name}</span>}
        <span class="need-since">
          waits for <Ago at={agent.since} form="length" />
        </span>
      </h2>
      <Question agent={agent} />
    </article>
  );
}

/** A card that goes takes the focus along: the next question gets it, or the sentence above. */
function keepFocus(): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    const next =
      document.querySelector<HTMLElement>(".need .choice") ??
      document.querySelector<HTMLElement>(".headline");
    next?.focus();
  });
}
