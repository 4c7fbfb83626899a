import { change } from "../api/ask.ts";
import { news } from "../api/live.ts";
import type { TokenView } from "../api/shapes.ts";
import { useRead } from "../api/use-read.ts";
import { useValue } from "../kit/observable.ts";
import { Act } from "../parts/act.tsx";
import { Ago } from "../parts/ago.tsx";
import { Command } from "../parts/command.tsx";
import { NotYet } from "../parts/empty.tsx";
import { TableHead } from "../parts/table-head.tsx";

/** Who may read and change: the tokens that count. Their secrets are shown once, by the command that makes them. */
export function Tokens() {
  const reading = useRead<{ tokens: TokenView[] }>("/tokens", { version: useValue(news) });
  if (reading.problem?.status === 403)
    return <p class="quiet">The tokens are shown to those who may change things (scope admin).</p>;
  if (reading.value === undefined) return <NotYet reading={reading} what="the tokens" />;
  const { tokens } = reading.value;
  return (
    <>
      <p>Make a token on the watcher's machine. It is shown once:</p>
      <Command text="rollcall token create --scope read --name phone" />
      {tokens.length === 0 ? (
        <p class="quiet">There is no token but the one in the file “token” of the watcher's home.</p>
      ) : (
        <table class="plain-table wide tokens">
          <TableHead columns={["Name", "Scope", "Agent", "Made"]} unseen="Revoke it" />
          <tbody>
            {tokens.map(({ id, name, scope, agent, pingKey, createdAt }) => (
              <tr key={id}>
                <th scope="row">{name}</th>
                <td>
                  <span class="tag">{pingKey ? "ping key" : scope}</span>
                </td>
                <td>{agent ?? <span class="quiet">every agent</span>}</td>
                <td>
                  <Ago at={createdAt} />
                </td>
                <td class="end">
                  <Act
                    does={() => change("DELETE", `/tokens/${encodeURIComponent(id)}`).then(reading.again)}
                    done={`${name} is revoked: its sessions ended.`}
                    label={`revoke ${name}`}
                    danger
                  >
                    Revoke
                  </Act>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
