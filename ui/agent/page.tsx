import { hostAgent } from "../../src/core/host-names.ts";
import { news, roll } from "../api/live.ts";
import type {
  AgentView,
  BeatView,
  CycleView,
  FlipView,
  HandlesAnswer,
  IncidentView,
  NextStepView,
  RecoveryView,
  RollAnswer,
  SilenceView,
} from "../api/shapes.ts";
import { useRead } from "../api/use-read.ts";
import { contactOf, type HostContact } from "../hosts/contact.ts";
import { now } from "../kit/clock.ts";
import { useKeys } from "../kit/keys.ts";
import { useValue } from "../kit/observable.ts";
import { address } from "../kit/place.ts";
import { go, Link } from "../kit/router.tsx";
import { Ago } from "../parts/ago.tsx";
import { Command } from "../parts/command.tsx";
import { Empty, NotYet } from "../parts/empty.tsx";
import { coloursOf, StateWord } from "../parts/glyph.tsx";
import { Question } from "../parts/question.tsx";
import { onThisClock } from "../words/dates.ts";
import { Buttons } from "./buttons.tsx";
import { Cycles } from "./cycles.tsx";
import { Gaps } from "./gaps.tsx";
import { Range } from "./range.tsx";
import { Screen } from "./screen.tsx";
import { momentsOf } from "./timeline.ts";
import { Timeline } from "./timeline-list.tsx";
import { Verdict } from "./verdict.tsx";

interface Recoveries {
  readonly recoveries: readonly RecoveryView[];
  readonly nextStep: NextStepView | null;
}

/** One agent: what we believe of it, why, what would change that, and what happened. */
export function AgentPage({ id }: { id: string }) {
  const { agents, strips } = useValue(roll);
  const told = useValue(news);
  const live = agents.get(id)?.agent;
  const path = `/agents/${encodeURIComponent(id)}`;
  // A beat or a flip is a reason to read what belongs to it; the clock alone is none.
  const beat = live?.lastBeatAt;
  const flip = `${live?.state}${live?.since}`;
  const detail = useRead<RollAnswer>(path, { version: `${beat}${flip}${live?.why}`, every: 30_000 });
  const beats = useRead<{ beats: BeatView[] }>(`${path}/beats?limit=200`, { version: beat });
  const flips = useRead<{ flips: FlipView[] }>(`${path}/flips?limit=100`, { version: flip });
  const cycles = useRead<{ cycles: CycleView[] }>(`${path}/cycles?limit=100`, { version: beat });
  const after = { version: `${flip}${told}` };
  const about = `/incidents?agent=${encodeURIComponent(id)}&limit=100`;
  const incidents = useRead<{ incidents: IncidentView[] }>(about, after);
  const recoveries = useRead<Recoveries>(`${path}/recoveries`, after);
  const handles = useRead<HandlesAnswer>(`${path}/handles`, { version: flip });
  const silences = useRead<{ silences: SilenceView[] }>("/silences", { version: told });
  useKeys({ u: () => go("/") });

  const agent = detail.value?.agents[0];
  if (detail.absent) return <NoAgent id={id} />;
  if (agent === undefined) return <NotYet reading={detail} what={id} />;
  // The page of one agent is asked for after the stream has told: what stands in the stream is never older.
  const shown: AgentView =
    live === undefined
      ? agent
      : { ...agent, ...live, why: agent.state === live.state ? agent.why : live.why };
  const open = incidents.value?.incidents.find((incident) => incident.open);
  const host = contactOf(agents, shown.host);
  const history = {
    seen: shown.evidence ?? [],
    beats: beats.value?.beats ?? [],
    flips: flips.value?.flips ?? [],
    cycles: cycles.value?.cycles ?? [],
    incidents: incidents.value?.incidents ?? [],
    recoveries: recoveries.value?.recoveries ?? [],
  };
  return (
    <article class="agent">
      <Head agent={shown} host={host} />
      {host !== undefined && <OutOfContact host={host} agent={shown} />}
      <Cause agent={shown} incident={open} />
      <Buttons
        agent={shown}
        steps={handles.value?.steps ?? []}
        restartEnds={handles.value?.restartEnds ?? false}
        byHost={handles.value?.byHost ?? false}
        host={host}
        incident={open}
        silences={silences.value?.silences ?? []}
        again={() => {
          for (const reading of [detail, incidents, silences, recoveries]) reading.again();
        }}
      />
      <div class={shown.state === "waiting" ? "columns first asks" : "columns first"}>
        <Screen id={id} host={host} />
        <div>
          {shown.state === "waiting" && (
            <section class="card need" aria-labelledby="question">
              <h2 id="question">It asks</h2>
              <Question agent={shown} />
            </section>
          )}
          <Verdict agent={shown} nextStep={recoveries.value?.nextStep ?? null} />
          {shown.state !== "waiting" && handles.value?.attach != null && (
            <Command text={handles.value.attach} />
          )}
        </div>
      </div>
      <Range id={id} strip={strips.get(id) ?? []} history={history} version={flip} />
      <div class="columns">
        <Gaps agent={shown} beats={history.beats} />
        <Cycles cycles={history.cycles} />
      </div>
      <Timeline moments={momentsOf(history)} />
    </article>
  );
}

/** The sentence, and the incident that it led to. */
function Cause({ agent, incident }: { agent: AgentView; incident: IncidentView | undefined }) {
  return (
    <p class="why cause" style={coloursOf(agent.state)}>
      {onThisClock(agent.why, now())}
      {incident !== undefined && (
        <Link to={address("incidents", incident.id)} class="cause-incident">
          open incident
        </Link>
      )}
    </p>
  );
}

const ORIGINS: Readonly<Record<AgentView["origin"], string>> = {
  config: "declared in the config",
  added: "added by hand",
  beat: "registered by its first beat",
  host: "registered by its host",
  watcher: "the watcher itself",
};

function Head({ agent, host }: { agent: AgentView; host: HostContact | undefined }) {
  const rule = agent.rule;
  const promise =
    rule === null
      ? "no beats expected"
      : "every" in rule
        ? `beats every ${rule.every}, grace ${rule.grace}`
        : `beats at ${rule.schedule} (${rule.timezone}), grace ${rule.grace}`;
  // What an agent of another host promises, that host knows.
  const far = host !== undefined && agent.rule === null;
  const facts = [
    agent.group === "default" ? null : `group ${agent.group}`,
    host === undefined ? agent.host : null,
    far ? null : promise,
    far ? null : ORIGINS[agent.origin],
  ];
  return (
    <header class="agent-head">
      <nav aria-label="Back">
        <Link to="/">← Roll</Link>
      </nav>
      <h1>
        {agent.id}
        {agent.name !== null && <span class="name">{agent.name}</span>}
      </h1>
      <p class="agent-state">
        <StateWord state={agent.state} />
        <span class="quiet">
          for <Ago at={agent.since} form="length" />
        </span>
        {host !== undefined && (
          <span>
            on host <Link to={`/?host=${encodeURIComponent(host.name)}`}>{host.name}</Link>
          </span>
        )}
        <span class="quiet facts">{facts.filter((fact) => fact !== null).join(" · ")}</span>
      </p>
    </header>
  );
}

/** An agent of a host that says nothing: what is shown of it is old. */
function OutOfContact({ host, agent }: { host: HostContact; agent: AgentView }) {
  const { name, lostSince } = host;
  if (lostSince === undefined) return null;
  return (
    <div class="out-of-contact" role="alert">
      <strong>Host {name} is out of contact.</strong> Contact was lost <Ago at={lostSince} />.{" "}
      {agent.id === hostAgent(name)
        ? "Its agents are unknown until it is heard again."
        : "What you see of this agent is from before."}{" "}
      <Link to="/hosts">Show the hosts</Link>
    </div>
  );
}

function NoAgent({ id }: { id: string }) {
  return (
    <Empty heading title={`There is no agent “${id}”.`} commands={["rollcall agents list"]}>
      It may have been removed from the roll. <Link to="/">Back to the roll</Link>
    </Empty>
  );
}
