import type { Ending } from "../../core/action/finish.ts";
import { asJson, type Json } from "../../core/action/json.ts";
import { type Attempted, problemOf } from "./attempt.ts";

/** What an attempt means for the rules. A result that is none is the failure of the run, not of the scheduler. */
export function endingOf(
  attempted: Attempted<unknown>,
  sent: readonly string[],
  memory: () => Readonly<Record<string, Json>>,
): Ending {
  if (attempted.kind !== "done") return attempted;
  const failed = (problem: string): Ending => ({ kind: "failed", problem });
  const { result } = attempted;
  if (typeof result !== "object" || result === null)
    return failed(`its result is ${result === null ? "null" : typeof result}, not {shouldNotify: …}`);
  const { shouldNotify, message, metadata, skipped } = result as Record<string, unknown>;
  if (typeof shouldNotify !== "boolean")
    return failed(`shouldNotify of its result is ${typeof shouldNotify}, not true or false`);
  if (message !== undefined && typeof message !== "string")
    return failed(`message of its result is ${typeof message}, not a text`);
  if (skipped !== undefined && typeof skipped !== "string")
    return failed(`skipped of its result is ${typeof skipped}, not a reason`);
  if (shouldNotify && (message ?? "").trim() === "")
    return failed("its result has shouldNotify, but no message to send");
  try {
    return {
      kind: "done",
      ...(shouldNotify && message !== undefined ? { message } : {}),
      sent,
      ...(metadata === undefined ? {} : { metadata: asJson(metadata) }),
      memory: memory(),
      ...(skipped === undefined ? {} : { skipped }),
    };
  } catch (error) {
    return failed(`metadata of its result is not JSON: ${problemOf(error)}`);
  }
}
