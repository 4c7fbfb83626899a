import * as z from "zod";
import { settingsOf, wordsOf } from "../ports/adapter.ts";
import { CHANNELS } from "./registry.ts";

const NAME = "a name of up to 64 letters, digits, - and _";

/** One channel. Secrets stand in variables or files, never here. */
export const channelSettings = z.discriminatedUnion("kind", settingsOf(CHANNELS), {
  error: `a kind: ${wordsOf(CHANNELS.map(({ kind }) => kind))}`,
});

/** The channels of a config by the names that its owner gives them. */
export const channelsSettings = z.record(z.string().regex(/^[-\w]{1,64}$/, NAME), channelSettings, {
  error: "a mapping of names to channels",
});
