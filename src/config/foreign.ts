import { basename } from "node:path";
import { nearest } from "../core/nearest.ts";
import { sayIssues } from "./problems.ts";
import { configSchema } from "./schema.ts";

/** A section of a shared file that Rollcall does not use. */
export interface ForeignSection {
  readonly name: string;
  /** Set if the section may have been meant for Rollcall: what keeps it from being used. */
  readonly why?: string;
}

/** In a shared file these are ours in any case, so mistakes in them are refused. */
const CERTAINLY_OURS = ["heartbeat", "daemon", "agents"];

/** Whether a config file belongs to another program too, so that it may hold sections that Rollcall does not know. */
export function isShared(file: string): boolean {
  return basename(file) === "gateway.json";
}

/** Splits a shared file into our sections and those of others. */
export function splitShared(value: unknown): { value: unknown; foreign: readonly ForeignSection[] } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { value, foreign: [] };
  const foreign = Object.entries(value).flatMap(([name, section]) => foreignSection(name, section));
  const left = new Set(foreign.map(({ name }) => name));
  const ours = Object.entries(value).filter(([name]) => !left.has(name));
  return { value: Object.fromEntries(ours), foreign };
}

function foreignSection(name: string, section: unknown): ForeignSection[] {
  if (CERTAINLY_OURS.includes(name)) return [];
  const shape: Readonly<Record<string, unknown>> = configSchema.shape;
  if (!Object.hasOwn(shape, name)) {
    const near = nearest(name, CERTAINLY_OURS.slice(0, 2));
    return [near === undefined ? { name } : { name, why: `unknown key; did you mean "${near}"?` }];
  }
  // Another program may give the same name to something else.
  const checked = configSchema.shape[name as keyof typeof configSchema.shape].safeParse(section);
  if (checked.success) return [];
  const issues = checked.error.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }));
  const [problem = ""] = sayIssues(issues, { [name]: section }, () => undefined);
  return [{ name, why: problem }];
}
