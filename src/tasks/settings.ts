import * as z from "zod";
import { shapeOf, wordsOf } from "../ports/adapter.ts";
import { TASK_SOURCES } from "./registry.ts";

const KINDS = TASK_SOURCES.map(({ kind }) => kind);

/** Where tasks come from. Nothing in it is required: without it, it is the file tasks.json in the home. */
export const taskSourceSettings = z
  .strictObject(shapeOf(TASK_SOURCES), { error: `a mapping with ${wordsOf(KINDS)}` })
  .superRefine((sources, context) => {
    const [, second] = Object.entries(sources).filter(([, source]) => source !== undefined);
    if (second === undefined) return;
    context.addIssue({ code: "custom", path: [second[0]], message: `one of ${wordsOf(KINDS, "and")}` });
  });
