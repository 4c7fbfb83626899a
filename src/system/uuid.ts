import { randomFillSync } from "node:crypto";

let lastMillis = 0;
let sequence = 0;
/** The part of an id that all of one millisecond share. */
let time = "";

/** Random bytes in stock: asking the system for each id would cost many times as much. */
const stock = Buffer.allocUnsafe(4096);
const EACH = 8;
let used = stock.length;

/**
 * A UUIDv7 (RFC 9562): 48 bits of milliseconds, a sequence of 12 bits, 62 random bits. Those of one process
 * strictly ascend, also within a millisecond and when the clock is set back.
 */
export function uuidv7(now: number = Date.now()): string {
  if (used === stock.length) {
    randomFillSync(stock);
    used = 0;
  }
  const start = used;
  used += EACH;
  // The variant's two bits.
  stock[start] = ((stock[start] ?? 0) & 0x3f) | 0x80;
  const random = stock.toString("hex", start, used);
  if (now > lastMillis) {
    begin(now);
    // The upper half stays free, so that there is room to count within this millisecond.
    sequence = Number.parseInt(random.slice(-3), 16) & 0x7ff;
  } else if (sequence < 0xfff) {
    sequence += 1;
  } else {
    begin(lastMillis + 1);
    sequence = 0;
  }
  // A thousand (in hexadecimal) more, and its first digit taken away: leading zeros.
  return `${time}${(0x1000 + sequence).toString(16).slice(1)}-${random.slice(0, 4)}-${random.slice(4)}`;
}

function begin(millis: number): void {
  lastMillis = millis;
  const hex = millis.toString(16).padStart(12, "0");
  time = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
}
