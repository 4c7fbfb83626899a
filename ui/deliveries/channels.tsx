import type { ChannelHealth } from "../api/shapes.ts";
import { Link } from "../kit/router.tsx";
import { Ago } from "../parts/ago.tsx";
import { sayAttempts } from "../words/attempts.ts";

/** Whether the messages of each channel arrive: those that fail first. A click shows the messages of one alone. */
export function Channels({ channels, to }: { channels: readonly ChannelHealth[]; to: string }) {
  if (channels.length === 0) return null;
  const sorted = [...channels].sort(
    (a, b) => Number(b.failing !== null) - Number(a.failing !== null) || (a.name < b.name ? -1 : 1),
  );
  return (
    <section class="channels" aria-label="Channels">
      {sorted.map((channel) => (
        <Channel key={channel.name} channel={channel} isChosen={channel.name === to} />
      ))}
    </section>
  );
}

function Channel({ channel, isChosen }: { channel: ChannelHealth; isChosen: boolean }) {
  const { name, kind, failing, lastSentAt, sent, lost, waiting } = channel;
  const counts = [
    `${sent} sent`,
    ...(lost > 0 ? [`${lost} not delivered`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
  ];
  return (
    <article class={`channel ${failing === null ? "works" : "fails"}`} data-channel={name}>
      <h2>
        <Link
          to={isChosen ? "/deliveries" : `/deliveries?to=${encodeURIComponent(name)}`}
          current={isChosen}
          title={isChosen ? "show all messages" : `only messages to ${name}`}
        >
          {name}
        </Link>
        {name !== kind && <span class="quiet">{kind}</span>}
      </h2>
      <p class={failing === null ? "channel-state" : "channel-state wrong"}>
        {failing !== null ? (
          <>
            fails for <Ago at={failing.since} form="length" />
          </>
        ) : lastSentAt === null ? (
          "no message yet"
        ) : (
          <>
            delivered <Ago at={lastSentAt} />
          </>
        )}
      </p>
      {failing !== null && (
        <p class="small">
          {sayAttempts(failing.attempts)}; the last one: {failing.problem}
        </p>
      )}
      <p class="quiet small">last 24 h: {counts.join(", ")}</p>
    </article>
  );
}
