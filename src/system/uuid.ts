import { randomUUID } from "node:crypto";

let lastMillis = 0;
let sequence = 0;

/**
 * A UUIDv7 (RFC 9562): 48 bits of milliseconds, a sequence of 12 bits, 62 random bits. Those of one process
 * strictly ascend, also within a millisecond and when the clock is set back. The random bits are those of a UUIDv4,
 * which Node keeps in stock, so that it costs a fraction of asking the system each time.
 */
export function uuidv7(now: number = Date.now()): string {
  const random = randomUUID();
  if (now > lastMillis) {
    lastMillis = now;
    // The upper half stays free, so that there is room to count within this millisecond.
    sequence = Number.parseInt(random.slice(0, 3), 16) & 0x7ff;
  } else if (sequence < 0xfff) {
    sequence += 1;
  } else {
    lastMillis += 1;
    sequence = 0;
  }
  const time = lastMillis.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, "0")}${random.slice(18)}`;
}
