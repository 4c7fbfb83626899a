import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A secret as it is handed out: `rc_<id>_<secret>`; a ping key has neither underscore nor prefix. */
export interface NewSecret {
  readonly id: string;
  /** What is shown once. */
  readonly text: string;
  readonly hash: string;
}

const TOKEN = /^rc_([a-z0-9]{8})_([A-Za-z0-9]{32})$/;
const PING_KEY = /^([a-z0-9]{8})([A-Za-z0-9]{24})$/;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const ALPHABET = `0123456789${LETTERS}${LETTERS.toUpperCase()}`;

export function newToken(): NewSecret {
  const id = randomText(8, 36);
  const secret = randomText(32);
  return { id, text: `rc_${id}_${secret}`, hash: hashOf(secret) };
}

export function newPingKey(): NewSecret {
  const id = randomText(8, 36);
  const secret = randomText(24);
  return { id, text: `${id}${secret}`, hash: hashOf(secret) };
}

export function newCode(): string {
  return randomText(32);
}

/** The parts of what somebody shows us: by its id the kept one is found, by its secret it is proven. */
export function readToken(text: string): { id: string; secret: string } | undefined {
  return partsOf(TOKEN.exec(text));
}

export function readPingKey(text: string): { id: string; secret: string } | undefined {
  return partsOf(PING_KEY.exec(text));
}

function partsOf(found: RegExpExecArray | null): { id: string; secret: string } | undefined {
  const [, id, secret] = found ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Takes as long for a near miss as for a far one. */
export function isHashOf(hash: string, text: string): boolean {
  const given = createHash("sha256").update(text).digest();
  const known = Buffer.from(hash, "hex");
  return known.length === given.length && timingSafeEqual(known, given);
}

/** Letters and digits, each as likely as the other: bytes that would favour some are thrown away. */
function randomText(length: number, letters = ALPHABET.length): string {
  const fair = 256 - (256 % letters);
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < fair && text.length < length) text += ALPHABET[byte % letters];
    }
  }
  return text;
}
