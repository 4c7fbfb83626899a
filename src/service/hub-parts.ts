import type { Enrolment } from "../hub/enrolment.ts";
import type { Hub } from "../hub/hub.ts";

/** A hub, as operations need it. */
export interface HubParts {
  readonly hub: Hub;
  readonly enrolment: Enrolment;
  /** Where hosts reach it, with the fingerprint of a certificate that nobody else vouches for. */
  readonly url: () => string;
}
