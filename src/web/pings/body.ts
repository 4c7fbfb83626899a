import type { IncomingMessage } from "node:http";

/** So much of a body is kept; it is said in a header, as clients expect. */
export const BODY_LIMIT = 10_000;

/** The first bytes of a body. The rest is read and thrown away: a ping is never refused for what it carries. */
export function firstBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((done, failed) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      if (size >= BODY_LIMIT) return;
      const part = chunk.subarray(0, BODY_LIMIT - size);
      // A copy, so that a cut piece does not hold the whole.
      chunks.push(part.length === chunk.length ? chunk : Buffer.from(part));
      size += part.length;
    });
    request.on("end", () => done(Buffer.concat(chunks)));
    request.on("error", failed);
    request.on("aborted", () => failed(new Error("the sender went away")));
  });
}

/** The beginning of a body as text for people. What is not text is shown as such. */
export function excerptOf(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return undefined;
  const text = bytes.toString("utf8").trim();
  if (text === "") return undefined;
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT - 1).toWellFormed()}…` : text;
}

/** The roll shows the message of every agent: it must stay small. The whole is with the pings. */
const EXCERPT = 500;
