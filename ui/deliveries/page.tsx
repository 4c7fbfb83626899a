import { news } from "../api/live.ts";
import type { DeliveryView } from "../api/shapes.ts";
import { useRead, useReadOn } from "../api/use-read.ts";
import { useValue } from "../kit/observable.ts";
import { go, usePlace } from "../kit/router.tsx";
import { Empty, NotYet } from "../parts/empty.tsx";
import { DeliveryTable } from "./table.tsx";

/** Everything that was sent, or is to be. */
export function DeliveriesPage() {
  const told = useValue(news);
  const { query } = usePlace();
  const to = query.get("to") ?? "";
  const options = { version: told, every: 15_000 };
  const only = to === "" ? "" : `&to=${encodeURIComponent(to)}`;
  const reading = useReadOn<{ deliveries: DeliveryView[] }>(`/deliveries?limit=200${only}`, options);
  // The channels are those of the newest messages to anybody: a filter does not make them fewer.
  const newest = useRead<{ deliveries: DeliveryView[] }>("/deliveries?limit=200", options);
  if (reading.value === undefined) return <NotYet reading={reading} what="the deliveries" />;
  const { deliveries: shown } = reading.value;
  const known = (newest.value?.deliveries ?? shown).map((delivery) => delivery.to);
  const places = [...new Set(to === "" ? known : [...known, to])].sort();
  return (
    <>
      <div class="title-line">
        <h1>Deliveries</h1>
        {places.length > 1 && (
          <select
            aria-label="filter by channel"
            value={to}
            onChange={({ currentTarget: { value } }) =>
              go(value === "" ? "/deliveries" : `/deliveries?to=${encodeURIComponent(value)}`)
            }
          >
            <option value="">all channels</option>
            {places.map((place) => (
              <option key={place}>{place}</option>
            ))}
          </select>
        )}
      </div>
      {shown.length === 0 ? (
        <Empty
          title="No message has been sent yet."
          commands={["rollcall config check", "rollcall deliveries list"]}
        >
          Rollcall sends a message when an incident opens, changes or ends. To get messages, add a channel
          under <code>channels</code> in the config file.
        </Empty>
      ) : (
        <DeliveryTable deliveries={shown} again={reading.again} />
      )}
    </>
  );
}
