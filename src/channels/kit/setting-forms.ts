import * as z from "zod";
import { MAPPING, text } from "../../ports/setting-forms.ts";
import { httpAddress } from "./http.ts";

/** The keys that name the places of a secret: `tokenEnv` a variable, `tokenFile` a file. */
export function secretIn<Name extends string>(name: Name, description: string) {
  const place = (what: string) => text(what).meta({ description }).optional();
  return {
    [`${name}Env`]: place("the name of an environment variable"),
    [`${name}File`]: place("the path of a file"),
  } as Record<`${Name}Env` | `${Name}File`, ReturnType<typeof place>>;
}

/** The settings of one kind. A key that is not known may be a secret in the wrong place, so only what is known is told. */
export const channelObject = <Kind extends string, Shape extends z.core.$ZodShape>(
  kind: Kind,
  shape: Shape,
) =>
  z.strictObject(
    { kind: z.literal(kind), ...shape },
    {
      error: ({ code }) =>
        code === "unrecognized_keys"
          ? `only the keys ${["kind", ...Object.keys(shape)].join(", ")}`
          : MAPPING,
    },
  );

/** An address that is no secret, and so holds none. */
export const openAddress = (example: string) =>
  text(`an address such as ${example}`).superRefine((value, context) => {
    const url = httpAddress(value);
    if (url === undefined) context.addIssue(`an address such as ${example}`);
    else if (url.username !== "" || url.password !== "") {
      // zod keeps what was given out of its messages, and so do we.
      context.addIssue(`an address without a user and a password, such as ${example}`);
    }
  });

/** Where a service is asked; another one than its own is for servers of one's own, and for tests. */
export const baseAddress = (example: string) =>
  openAddress(example).meta({ description: "the server's address, if it is not the public service" });

type Context = Pick<z.core.$RefinementCtx, "addIssue">;

/** A secret stands in a variable or a file, and in one of them; `other` is what may stand there instead. */
export function oneSecret(what: string, need: "needed" | "optional", other?: string) {
  const keys = [...(other === undefined ? [] : [other]), `${what}Env`, `${what}File`];
  const names = `${keys.slice(0, -1).join(", ")} or ${keys.at(-1)}`;
  return (settings: Readonly<Record<string, unknown>>, context: Context): void => {
    const given = keys.filter((key) => settings[key] !== undefined);
    if (given.length > 1) {
      context.addIssue({ code: "custom", path: [given.at(-1) ?? what], message: `one of ${names}` });
    }
    if (given.length === 0 && need === "needed") {
      context.addIssue({ code: "custom", path: [keys[0] ?? what], message: names });
    }
  };
}
