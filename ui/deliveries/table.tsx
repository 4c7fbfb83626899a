import { change } from "../api/ask.ts";
import type { DeliveryView } from "../api/shapes.ts";
import { now } from "../kit/clock.ts";
import { address } from "../kit/place.ts";
import { Link } from "../kit/router.tsx";
import { Act } from "../parts/act.tsx";
import { Ago, exact } from "../parts/ago.tsx";
import { TableHead } from "../parts/table-head.tsx";

/** Messages, sent or still to send, with their state. */
export function DeliveryTable(props: { deliveries: readonly DeliveryView[]; again: () => void }) {
  return (
    <table class="plain-table wide deliveries">
      <TableHead
        columns={["State", "To", "What", "Attempts", "When"]}
        numbers={["Attempts"]}
        unseen="Retry"
      />
      <tbody>
        {props.deliveries.map((delivery) => (
          <tr key={delivery.key}>
            <td>
              <span class={`outcome d-${stateOf(delivery)}`}>{stateOf(delivery)}</span>
            </td>
            <td>{delivery.to}</td>
            <td class="what">
              {delivery.incident === null ? (
                delivery.message.title
              ) : (
                <Link to={address("incidents", delivery.incident)}>{delivery.message.title}</Link>
              )}
              {delivery.problem !== null && <span class="wrong">{delivery.problem}</span>}
            </td>
            <td class="num">{delivery.attempts}</td>
            <td>
              {stateOf(delivery) === "failing" ? (
                <>
                  since <Ago at={delivery.createdAt} />
                  <span class="quiet">
                    {" "}
                    next attempt <Ago at={delivery.dueAt} />
                  </span>
                </>
              ) : delivery.held !== null ? (
                <>
                  until {exact(delivery.held.until)}
                  <span class="quiet"> ({delivery.held.by})</span>
                </>
              ) : delivery.state === "pending" ? (
                <>
                  due <Ago at={delivery.dueAt} />
                </>
              ) : (
                <Ago at={delivery.endedAt ?? delivery.createdAt} />
              )}
            </td>
            <td class="end">
              {(delivery.state === "refused" || delivery.state === "expired") && (
                <Act
                  does={() =>
                    change("POST", `/deliveries/${encodeURIComponent(delivery.key)}/retry`, {}).then(
                      props.again,
                    )
                  }
                  done="Rollcall tries again."
                  label={`try again: ${delivery.message.title} to ${delivery.to}`}
                >
                  Retry
                </Act>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How long after it was due a message that was never tried counts as held up by those before it. */
const HELD_UP = 60_000;

/** What is in trouble must not read as calm: tried in vain, or held up behind messages that were. */
function stateOf({
  state,
  attempts,
  dueAt,
  held,
}: DeliveryView): DeliveryView["state"] | "failing" | "overdue" | "held" {
  if (held !== null) return "held";
  if (state !== "pending" && state !== "sending") return state;
  if (attempts > 0) return "failing";
  return now() - Date.parse(dueAt) > HELD_UP ? "overdue" : state;
}
