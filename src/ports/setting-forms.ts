import * as z from "zod";

// Forms that many settings share. Every message says what would be right: it is shown after "expected".

export const MAPPING = "a mapping of keys to values";
export const yesNo = z.boolean({ error: "true or false" });

/** A text that is not empty. */
export const text = (what: string) => z.string({ error: what }).min(1, what);

/** Known keys, and no others. */
export const mapping = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, { error: MAPPING });
