/**
 * A value for a problem's sentence. Lists and objects are only named: they may be so deep that writing them out would
 * overflow the stack. A bigint becomes text, because JSON has none.
 */
export function shown(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? "(a list)" : "(an object)";
}
