import type { ServerResponse } from "node:http";
import { constants, crc32, deflateRawSync } from "node:zlib";

/** A reader that lets so much pile up is dropped: it comes back and goes on where it was. */
const LARGEST_PILE = 1024 * 1024;
/** How a gzip stream begins (RFC 1952): deflate, no name, no date, made on Unix. */
const GZIP_BEGINS = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
/** The last block of a gzip stream, which is empty. Its checksum and length follow. */
const LAST_BLOCK = Buffer.from([3, 0]);

/**
 * A piece of text for many readers, packed once for all of them: its blocks refer to nothing before them, so that they
 * may stand anywhere in a stream.
 */
export class Sent {
  readonly bytes: Buffer;
  #packed: Buffer | undefined;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
  }

  get packed(): Buffer {
    this.#packed ??= deflateRawSync(this.bytes, { level: 5, finishFlush: constants.Z_SYNC_FLUSH });
    return this.#packed;
  }
}

/** One that reads the stream, packed if it can unpack. */
export class Reader {
  readonly #response: ServerResponse;
  readonly #isPacked: boolean;
  #checksum = 0;
  #length = 0;
  /** What waits until the reader is greeted. */
  #waiting: Sent[] | undefined = [];

  constructor(response: ServerResponse, isPacked: boolean) {
    this.#response = response;
    this.#isPacked = isPacked;
    if (isPacked) response.write(GZIP_BEGINS);
  }

  /** Sends the first thing, then what came before it. */
  greet(first: Sent): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const sent of [first, ...waiting]) this.send(sent);
  }

  send(sent: Sent): void {
    if (this.#waiting !== undefined) this.#waiting.push(sent);
    else if (this.#response.writableLength > LARGEST_PILE) this.#response.destroy();
    else if (!this.#isPacked) this.#response.write(sent.bytes);
    else {
      this.#checksum = crc32(sent.bytes, this.#checksum);
      this.#length += sent.bytes.length;
      this.#response.write(sent.packed);
    }
  }

  end(): void {
    if (!this.#isPacked) return void this.#response.end();
    const end = Buffer.alloc(8);
    end.writeUInt32LE(this.#checksum);
    end.writeUInt32LE(this.#length % 2 ** 32, 4);
    this.#response.end(Buffer.concat([LAST_BLOCK, end]));
  }
}
