import { configSchema } from "./schema.ts";

/** The config of an empty file. The build puts the value here (`scripts/defaults-as-data.js`), without the schema. */
export const DEFAULTS = configSchema.parse({});
