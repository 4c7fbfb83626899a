import * as z from "zod";

/** Every message says what would be right: it is shown after "expected". */
const UNIT = "the name of a systemd unit such as agent.service";

export const systemdSettings = z.strictObject(
  {
    // A name that began with a hyphen would be an option.
    unit: z
      .string({ error: UNIT })
      .regex(/^[a-zA-Z0-9:_.\\@][a-zA-Z0-9:_.\\@-]*$/, UNIT)
      .meta({ description: UNIT }),
    user: z
      .boolean({ error: "true or false" })
      .meta({ description: "true for a unit of the user's own systemd (systemctl --user)" })
      .default(false),
  },
  { error: "a mapping of keys to values" },
);

export type SystemdSettings = z.output<typeof systemdSettings>;
