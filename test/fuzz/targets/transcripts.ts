import { readingOf, readTail } from "../../../src/signals/transcript/tail.ts";
import { must, stateless, type Target } from "../target.ts";

/** The end of a coding agent's transcript. */
export const transcripts: Target = {
  name: "transcripts",
  examples: [
    '{"type":"user","timestamp":"2026-11-16T12:00:00.000Z","message":{"role":"user","content":"go on"}}\n{"type":"assistant","timestamp":"2026-11-16T12:00:01.000Z","message":{"role":"assistant","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}}\n{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}\n',
    '{"timestamp":"2026-11-16T12:00:00.000Z","type":"event_msg","payload":{"type":"task_started"}}\n{"timestamp":"2026-11-16T12:00:02.000Z","type":"response_item","payload":{"type":"function_call","call_id":"c1","name":"shell"}}\n{"timestamp":"2026-11-16T12:00:03.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1"}}\n',
    '{"type":"gemini","timestamp":"2026-11-16T12:00:00.000Z","content":"hello","toolCalls":[{"id":"x","status":"success","timestamp":"2026-11-16T12:00:01.000Z"}]}\n',
    '{"$set":{"lastUpdated":"2026-11-16T12:00:00.000Z"}}\n{"type":"system","subtype":"turn_duration"}\n',
  ],
  words: [
    ...[
      '"type":',
      '"payload":',
      '"message":',
      '"content":',
      '"timestamp":',
      '"tool_use"',
      '"tool_result"',
      '"id":',
    ],
    ...[
      '"stop_reason":"end_turn"',
      '"isApiErrorMessage":true',
      '"toolCalls":[',
      '"$set":',
      '"rate_limits":',
      "\n",
    ],
  ],
  open: stateless((input) => {
    for (const isCut of [true, false]) {
      const tail = readTail(input, isCut);
      must(
        tail.at === undefined || Number.isFinite(tail.at),
        "the time of a transcript's last line is a time",
      );
      must(
        tail.resetAt === undefined || Number.isFinite(tail.resetAt),
        "the time of a limit's end is a time",
      );
      readingOf(tail, 1000);
    }
  }),
};
