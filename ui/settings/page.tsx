import { roll } from "../api/live.ts";
import type { ConfigAnswer } from "../api/shapes.ts";
import { useRead } from "../api/use-read.ts";
import { useValue } from "../observable.ts";
import { Ago } from "../parts/ago.tsx";
import { Empty, NotYet } from "../parts/empty.tsx";

/** What the watcher goes by, and where each value came from. Read-only: the file is the place to change it. */
export function SettingsPage() {
  const { watcher } = useValue(roll);
  const reading = useRead<ConfigAnswer>("/config", { version: watcher?.startedAt });
  return (
    <>
      <h1>Settings</h1>
      {watcher !== undefined && (
        <dl class="facts-list">
          <dt>Watcher</dt>
          <dd>
            version {watcher.version} on {watcher.host}, started <Ago at={watcher.startedAt} />
          </dd>
          <dt>Home</dt>
          <dd>
            <code>{watcher.home}</code>
          </dd>
          <dt>Config file</dt>
          <dd>
            {watcher.configFile === null ? (
              "none: all settings have their defaults"
            ) : (
              <code>{watcher.configFile}</code>
            )}
          </dd>
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
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">Value</th>
          <th scope="col">From</th>
        </tr>
      </thead>
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
