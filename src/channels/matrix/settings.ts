import type * as z from "zod";
import { channelObject, ENV_FORM, FILE_FORM, oneSecret, openAddress, text } from "../kit/setting-forms.ts";

const ROOM = "the id of a room such as !fleet:example.org (not an alias, which begins with #)";

export const matrixSettings = channelObject("matrix", {
  url: openAddress("https://matrix.example.org").meta({ description: "the address of the homeserver" }),
  room: text(ROOM)
    .regex(/^![^\s/?#]{1,254}$/, ROOM)
    .meta({ description: "the id of the room; the account must be a member" }),
  tokenEnv: text(ENV_FORM).meta({ description: "holds the access token of the account" }).optional(),
  tokenFile: text(FILE_FORM).meta({ description: "holds the access token of the account" }).optional(),
}).superRefine(oneSecret("token", "needed"));

export type MatrixSettings = z.output<typeof matrixSettings>;
