import * as z from "zod";
import { MAPPING, mapping, text, yesNo } from "../../ports/setting-forms.ts";
import { FOLDER_FORM } from "../kit/adapter.ts";

const PATH_FORM = "a path such as ~/logs/{agent}.log or {home}/logs/{agent}-*.log";
const KEY_FORM = "a name of letters, digits, - and _, such as repo";
const COLUMNS = "a whole number of columns from 20 to 1000";
const ROWS = "a whole number of rows from 5 to 500";
const columns = z.int({ error: COLUMNS }).min(20, COLUMNS).max(1000, COLUMNS);
const rows = z.int({ error: ROWS }).min(5, ROWS).max(500, ROWS);

/** How the config names a session log. */
export const logSettings = mapping({
  path: text(PATH_FORM)
    .meta({ description: "the log file, or a pattern; the newest match is the log" })
    .optional(),
  keys: z
    .record(z.string().regex(/^[A-Za-z][\w-]*$/, KEY_FORM), text("text"), { error: MAPPING })
    .meta({ description: "values for {repo}, {worker} and other keys in the path" })
    .optional(),
  session: yesNo
    .meta({ description: "the file exists only during a session: when it is gone, the agent rests" })
    .optional(),
  folder: text(FOLDER_FORM).meta({ description: "a folder; its newest file is the log" }).optional(),
  plain: yesNo
    .meta({ description: "not terminal output: only the time of the last write counts" })
    .default(false),
  cols: columns.meta({ description: "the width of the terminal that wrote it, in columns" }).optional(),
  rows: rows.meta({ description: "the height of the terminal that wrote it, in rows" }).optional(),
}).superRefine(({ path, folder }, context) => {
  if ((path === undefined) !== (folder === undefined)) return;
  context.addIssue({
    code: "custom",
    path: [path === undefined ? "path" : "folder"],
    message: "exactly one of path and folder",
  });
});
