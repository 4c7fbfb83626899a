// The margin of a group of agents: by how much its limits exceed the gaps that were learnt. It is not guessed
// but steered by a closed loop, so that the group has as many false alarms as its budget allows, and detection
// is no later than that costs.

/** False alarms allowed per agent and day; one per agent-month. */
export const BUDGET = 1 / 30;

export const MARGIN = { start: 2.5, least: 0.8, most: 8 } as const;

/**
 * m ← m · exp(η (false alarms − allowed)), allowed = budget · agents · days, η = min(0.5, 0.1 / allowed), and
 * m stays within [0.8, 8]. A false alarm is one that ended by itself. To be called once a trusted day.
 */
export function adjust(
  margin: number,
  falseAlarms: number,
  agents: number,
  days = 1,
  budget = BUDGET,
): number {
  const allowed = budget * agents * days;
  if (!(allowed > 0)) return margin;
  const gain = Math.min(0.5, 0.1 / allowed);
  const steered = margin * Math.exp(gain * (falseAlarms - allowed));
  return Math.min(MARGIN.most, Math.max(MARGIN.least, steered));
}
