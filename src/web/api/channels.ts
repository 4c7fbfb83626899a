import * as z from "zod";
import { DAY, iso } from "../../core/duration.ts";
import type { Api } from "./api.ts";
import { type ApiRoute, get } from "./route.ts";
import * as shapes from "./schemas.ts";

/** So many of the newest messages of each channel are counted. */
const COUNTED = 500;

/** Where messages go, and whether they arrive. */
export function channelRoutes({ channels, store, info, now }: Api): readonly ApiRoute[] {
  return [
    get("/channels", "the channels of the config, and whether their messages arrive", {
      answer: z.strictObject({ channels: z.array(shapes.channel) }),
      handle: async () => ({
        channels: await Promise.all(
          channels().map(async ({ name, kind }) => {
            const since = now() - DAY;
            const today = await store.deliveries.page({ to: name, limit: COUNTED, since });
            const ended = await store.deliveries.page({ to: name, state: "ended", limit: COUNTED });
            const count = (...states: string[]) => today.filter(({ state }) => states.includes(state)).length;
            const sentAt = ended.find(({ state }) => state === "sent")?.endedAt;
            return {
              ...{ name, kind, lastSentAt: sentAt === undefined ? null : iso(sentAt) },
              ...{
                sent: count("sent"),
                lost: count("refused", "expired"),
                waiting: count("pending", "sending"),
              },
              failing: info().failingChannels.find(({ place }) => place === name) ?? null,
            };
          }),
        ),
      }),
    }),
  ];
}
