import { news } from "../api/live.ts";
import type { ChannelHealth, DeliveryView } from "../api/shapes.ts";
import { useRead, useReadOn } from "../api/use-read.ts";
import { useValue } from "../kit/observable.ts";
import { usePlace } from "../kit/router.tsx";
import { Empty, NotYet } from "../parts/empty.tsx";
import { Channels } from "./channels.tsx";
import { DeliveryTable } from "./table.tsx";

/** Everything that was sent, or is to be. */
export function DeliveriesPage() {
  const told = useValue(news);
  const { query } = usePlace();
  const to = query.get("to") ?? "";
  const options = { version: told, every: 15_000 };
  const only = to === "" ? "" : `&to=${encodeURIComponent(to)}`;
  const reading = useReadOn<{ deliveries: DeliveryView[] }>(`/deliveries?limit=200${only}`, options);
  const channels = useRead<{ channels: ChannelHealth[] }>("/channels", options);
  if (reading.value === undefined) return <NotYet reading={reading} what="the deliveries" />;
  const { deliveries: shown } = reading.value;
  return (
    <>
      <h1>Deliveries</h1>
      <Channels channels={channels.value?.channels ?? []} to={to} />
      {shown.length === 0 ? (
        <Empty
          title={to === "" ? "No message has been sent yet." : `No message to ${to} has been sent yet.`}
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
