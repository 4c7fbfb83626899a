import { readBeat, sayProblem } from "../../../src/core/beat-input.ts";
import { checkChanges } from "../../../src/ports/committable.ts";
import { must, stateless, type Target } from "../target.ts";

/** A beat, as it comes in the body of a request. */
export const beats: Target = {
  name: "beats",
  examples: [
    '{"agent":"allegro"}',
    '{"agent":"allegro","status":"error","message":"disk full","action":"backup","cycle":12,"cycleEvent":"ended","outcome":"error"}',
    '{"id":"0192f0c1-7c3b-7def-8abc-0123456789ab","agent":"a_1@host-2","source":"wrapper","host":"studio","sentAt":"2026-11-16T12:00:00.123Z"}',
    '{"agent":"allegro","incarnation":{"pid":4242,"startTime":"123456","bootId":"6f1b0b3e-0000-4000-8000-000000000000"}}',
  ],
  words: [
    ...['"id":', '"agent":', '"host":', '"incarnation":', '"pid":', '"startTime":', '"bootId":', '"source":'],
    ...['"cycle":', '"cycleEvent":', '"outcome":', '"action":', '"status":', '"message":', '"sentAt":'],
    ...['"ok"', '"error"', '"begun"', '"ended"', '"crashed"', '"2026-11-16T12:00:00+99:99"', "-0", "1e999"],
  ],
  open: stateless((input) => {
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder().decode(input));
    } catch {
      return;
    }
    const arrival = { receivedAt: 1_700_000_000_000, newId: () => "0192f0c1-7c3b-7def-8abc-0123456789ab" };
    for (const strict of [true, false]) {
      const read = readBeat(value, { ...arrival, strict, spooled: !strict });
      if ("problem" in read) {
        must(sayProblem(read.problem).length < 2000, "what is wrong with a beat is said in few words");
        continue;
      }
      checkChanges({ beats: [read.beat] });
      must(JSON.stringify(read.beat).isWellFormed(), "a beat that was read has well-formed text");
      must(JSON.stringify(read.beat).length < 100_000, "a beat that was read is small");
    }
  }),
};
