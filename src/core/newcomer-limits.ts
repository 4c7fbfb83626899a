/** How many agents may register themselves without proof: on the roll at a time, and within a minute. */
export interface NewcomerLimits {
  readonly max: number;
  readonly perMinute: number;
}

export const NEWCOMER_LIMITS: NewcomerLimits = { max: 1000, perMinute: 60 };
