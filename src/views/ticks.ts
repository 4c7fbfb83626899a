/** The ticks of all agents by month, as `GET /api/v1/ticks` gives them. */
export interface TickGrid {
  /** Newest first. */
  readonly months: readonly string[];
  readonly agents: readonly {
    readonly id: string;
    readonly name: string;
    readonly ticks: Readonly<Record<string, TickCell>>;
  }[];
}

export interface TickCell {
  readonly status: "healthy" | "degraded" | "critical" | "offline" | "missing" | "invalid";
  readonly submittedAt: string | null;
  /** The address of its root-cause issue. */
  readonly issue: string | null;
}
