import * as z from "zod";
import { SCOPES } from "../../core/access/token.ts";
import { AGENT_ID } from "../../core/agent.ts";
import { AGENT_ID_FORM } from "../../core/beat-input.ts";

export const tokenBody = z
  .object(
    {
      scope: z.enum(SCOPES, { error: SCOPES.join(", ") }),
      name: z.string({ error: "text" }).max(100, "at most 100 characters").optional(),
      person: z
        .string({ error: "a person's name" })
        .min(1, "a person's name")
        .max(100, "at most 100 characters")
        .optional(),
      agent: z.string({ error: AGENT_ID_FORM }).regex(AGENT_ID, AGENT_ID_FORM).optional(),
      pingKey: z.boolean({ error: "true or false" }).optional(),
    },
    { error: "expected an object" },
  )
  .superRefine(({ scope, agent, pingKey }, context) => {
    if (scope === "beat") return;
    const path = agent !== undefined ? "agent" : pingKey === true ? "pingKey" : undefined;
    if (path !== undefined)
      context.addIssue({ code: "custom", path: [path], message: "the scope beat beside it" });
  });

/** Reads a wish for a token, wherever it comes from. */
export function readTokenWish(value: unknown): z.output<typeof tokenBody> | { readonly problem: string } {
  const read = tokenBody.safeParse(value);
  if (read.success) return read.data;
  return {
    problem: read.error.issues
      .map(({ path, message }) => `${path.join(".")}: expected ${message}`)
      .join("; "),
  };
}
