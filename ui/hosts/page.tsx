import { useMemo, useState } from "preact/hooks";
import { news, roll } from "../api/live.ts";
import type { HostView, State } from "../api/shapes.ts";
import { useRead } from "../api/use-read.ts";
import { useValue } from "../kit/observable.ts";
import { Link } from "../kit/router.tsx";
import { Ago } from "../parts/ago.tsx";
import { Command } from "../parts/command.tsx";
import { Empty, NotYet } from "../parts/empty.tsx";
import { Glyph, StateWord } from "../parts/glyph.tsx";
import { TableHead } from "../parts/table-head.tsx";
import { STATES } from "../words/states.ts";
import { isWrong, sayClock } from "./clock.ts";
import { liveHosts } from "./contact.ts";
import { RevokeDialog } from "./revoke-dialog.tsx";

const COLUMNS = ["Host", "Kind", "State", "Last contact", "Version", "Clock", "Backlog", "Agents"] as const;

/** The hosts that report to this hub: those out of contact first. */
export function HostsPage({ heading = false }: { heading?: boolean }) {
  const { agents, watcher } = useValue(roll);
  const told = useValue(news);
  const live = useMemo(() => liveHosts(agents), [agents]);
  const reading = useRead<{ hosts: HostView[] }>(watcher?.hub === false ? undefined : "/hosts", {
    version: `${told}${live.flips}`,
    every: 10_000,
  });
  const [revoking, setRevoking] = useState<string>();
  if (watcher?.hub === false) return <NoHub heading={heading} />;
  if (reading.value === undefined) return <NotYet reading={reading} what="the hosts" />;
  const hosts = [...reading.value.hosts].sort(
    (a, b) => Number(isLost(b)) - Number(isLost(a)) || (a.name < b.name ? -1 : 1),
  );
  return (
    <>
      {heading && <h1>Hosts</h1>}
      {hosts.length === 0 ? (
        <p>No host reports to this hub yet.</p>
      ) : (
        <table class="plain-table wide hosts">
          <TableHead columns={COLUMNS} numbers={["Backlog"]} unseen="Revoke it" />
          <tbody>
            {hosts.map((host) => (
              <Host
                key={host.name}
                host={host}
                agents={live.agents.get(host.name) ?? new Map()}
                onRevoke={() => setRevoking(host.name)}
              />
            ))}
          </tbody>
        </table>
      )}
      <Invite />
      {revoking !== undefined && (
        <RevokeDialog host={revoking} onClose={() => setRevoking(undefined)} onDone={reading.again} />
      )}
    </>
  );
}

/** Whether contact is lost, which is trouble unless the host may sleep or come and go. */
function isLost({ state }: HostView): boolean {
  return state === "unknown";
}

function Host(props: { host: HostView; agents: ReadonlyMap<State, number>; onRevoke: () => void }) {
  const { host, agents } = props;
  const { name, kind, state, why, lastContactAt, version, clockOffset, backlog, dropped } = host;
  const roll = `/?host=${encodeURIComponent(name)}`;
  return (
    <tr data-host={name}>
      <th scope="row">
        <Link to={roll} title={`the agents of ${name}`}>
          {name}
        </Link>
      </th>
      <td>{kind}</td>
      <td class="host-state">
        {state === null ? <span class="quiet">not heard yet</span> : <StateWord state={state} />}
        {state !== null && state !== "alive" && <span class="quiet small">{why}</span>}
      </td>
      <td data-name="last contact">
        {lastContactAt === null ? <span class="quiet">never</span> : <Ago at={lastContactAt} />}
      </td>
      <td data-name="version">{version}</td>
      <td data-name="clock" class={isWrong(clockOffset) ? "wrong" : undefined}>
        {sayClock(clockOffset)}
      </td>
      <td data-name="backlog" class={dropped > 0 ? "num wrong" : "num"}>
        {backlog}
        {dropped > 0 && ` (${dropped} dropped)`}
      </td>
      <td class="host-agents">
        {STATES.filter((each) => agents.has(each)).map((each) => (
          <Link key={each} to={`${roll}&state=${each}`}>
            <Glyph state={each} /> {agents.get(each)} {each}
          </Link>
        ))}
        {agents.size === 0 && <span class="quiet">no agents</span>}
      </td>
      <td class="end">
        <button type="button" class="danger" aria-label={`revoke ${name}`} onClick={props.onRevoke}>
          Revoke …
        </button>
      </td>
    </tr>
  );
}

function Invite() {
  return (
    <section class="card" aria-labelledby="invite">
      <h2 id="invite">Add a host</h2>
      <p>Run this on the machine of this hub, with a name for the new host:</p>
      <Command text="rollcall hosts invite NAME" />
      <p>
        It prints a command that starts with <code>rollcall join</code>. Run that command on the new host
        within 15 minutes. It works once.
      </p>
      <p class="quiet">
        Add <code>--kind laptop</code> for a machine that sleeps, or <code>--kind ephemeral</code> for
        machines that come and go, such as CI runners.
      </p>
    </section>
  );
}

function NoHub({ heading }: { heading: boolean }) {
  return (
    <Empty heading={heading} title="No hosts report to this watcher." commands={["rollcall up --hub"]}>
      It watches the agents of its own machine only. To see the agents of several machines on one roll, start
      it as a hub:
    </Empty>
  );
}
