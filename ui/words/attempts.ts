/** How often something was tried in vain. */
export function sayAttempts(attempts: number): string {
  if (attempts === 0) return "Not tried yet: earlier messages go first";
  return attempts === 1 ? "1 attempt failed" : `${attempts} attempts failed`;
}
