import { roll } from "../api/live.ts";
import type { ConfigAnswer } from "../api/shapes.ts";
import { useRead } from "../api/use-read.ts";
import { HostsPage } from "../hosts/page.tsx";
import { useValue } from "../kit/observable.ts";
import { Link, usePlace } from "../kit/router.tsx";
import { Ago } from "../parts/ago.tsx";
import { Empty, NotYet } from "../parts/empty.tsx";
import { Fact } from "../parts/fact.tsx";
import { TableHead } from "../parts/table-head.tsx";
import { Audit } from "./audit.tsx";
import { Tokens } from "./tokens.tsx";

/** What the watcher goes by, its hosts, its tokens, and who changed what. The config file is the place to change settings. */
export function SettingsPage() {
  const { query } = usePlace();
  const [tab] = TABS.find(([id]) => id === query.get("show")) ?? TABS[0];
  return (
    <>
      <h1>Settings</h1>
      <nav class="tabs" aria-label="Settings">
        {TABS.map(([id, name]) => (
          <Link key={id} to={id === "" ? "/settings" : `/settings?show=${id}`} current={id === tab}>
            {name}
          </Link>
        ))}
      </nav>
      {tab === "tokens" && <Tokens />}
      {tab === "audit" && <Audit />}
      {tab === "hosts" && <HostsPage />}
      {tab === "" && <Config />}
    </>
  );
}

const TABS = [
  ["", "Config"],
  ["hosts", "Hosts"],
  ["tokens", "Tokens"],
  ["audit", "Audit"],
] as const;

/** What is in force. */
function Config() {
  const { watcher } = useValue(roll);
  const reading = useRead<ConfigAnswer>("/config", { version: watcher?.startedAt });
  return (
    <>
      {watcher !== undefined && (
        <dl class="facts-list">
          <Fact name="Watcher">
            version {watcher.version} on {watcher.host}, started <Ago at={watcher.startedAt} />
          </Fact>
          <Fact name="Home">
            <code>{watcher.home}</code>
          </Fact>
          <Fact name="Config file">
            {watcher.configFile === null ? (
              "none: all settings have their defaults"
            ) : (
              <code>{watcher.configFile}</code>
            )}
          </Fact>
        </dl>
      )}
      {reading.value === undefined ? (
        reading.absent ? (
          <Empty
            title="This watcher does not show its settings on this page."
            commands={["rollcall config show"]}
          >
            Use the command line:
          </Empty>
        ) : (
          <NotYet reading={reading} what="the settings" />
        )
      ) : (
        <Values values={reading.value.values} />
      )}
    </>
  );
}

function Values({ values }: { values: ConfigAnswer["values"] }) {
  return (
    <table class="plain-table wide settings">
      <TableHead columns={["Setting", "Value", "From"]} />
      <tbody>
        {values.map(({ path, value, from }) => (
          <tr key={path}>
            <th scope="row">
              <code>{path}</code>
            </th>
            <td>
              <code>{typeof value === "string" ? value : JSON.stringify(value)}</code>
            </td>
            <td>
              <span class={`tag from-${from}`}>{from}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
