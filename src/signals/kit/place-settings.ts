import * as z from "zod";

/** Every message says what would be right: it is shown after "expected". */
export const text = (what: string) => z.string({ error: what }).min(1, what);
export const object = "a mapping of keys to values";
export const yesNo = z.boolean({ error: "true or false" });

export const PATH_FORM = "a path such as ~/logs/{agent}.log or {home}/logs/{agent}-*.log";
export const FOLDER_FORM = "a folder such as ~/logs/{agent}; its newest file counts";
export const ONE_PLACE = "exactly one of path and folder";
