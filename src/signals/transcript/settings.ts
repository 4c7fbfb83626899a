import * as z from "zod";
import { FOLDER_FORM, object, text } from "../kit/place-settings.ts";
import { CLIENTS } from "./presets.ts";

const CLIENT_FORM = `one of ${CLIENTS.join(", ")}`;
const ONE_PLACE = "exactly one of client, path and folder";

/** How the config names the transcripts of a coding agent. */
export const transcriptSettings = z
  .strictObject(
    {
      client: z
        .enum(CLIENTS, { error: CLIENT_FORM })
        .meta({ description: "the client whose transcripts Rollcall reads, in the client's own folder" })
        .optional(),
      cwd: text("the folder in which the agent works, such as ~/src/{repo}")
        .meta({ description: "the folder in which the agent works" })
        .optional(),
      path: text("a pattern such as ~/transcripts/{agent}/*.jsonl")
        .meta({ description: "a pattern; the newest match is the transcript" })
        .optional(),
      folder: text(FOLDER_FORM)
        .meta({ description: "a folder; its newest file is the transcript" })
        .optional(),
    },
    { error: object },
  )
  .superRefine(({ client, cwd, path, folder }, context) => {
    const places = [client, path, folder].filter((one) => one !== undefined);
    if (places.length !== 1) context.addIssue({ code: "custom", path: ["client"], message: ONE_PLACE });
    if (client !== undefined && cwd === undefined) {
      const message = "the folder in which the agent works beside a client";
      context.addIssue({ code: "custom", path: ["cwd"], message });
    }
    if (client === undefined && cwd !== undefined) {
      context.addIssue({ code: "custom", path: ["cwd"], message: "a client beside a cwd" });
    }
  });
