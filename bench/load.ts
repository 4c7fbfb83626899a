import { connect } from "node:net";

/** A load of keep-alive connections that each send one request after the other, as bytes made beforehand. */
export async function load(url: string, connections: number, seconds: number): Promise<number> {
  const { hostname, port } = new URL(url);
  const requests = Array.from({ length: 1000 }, (_, i) => {
    const body = JSON.stringify({ agent: `bench-${i}`, cycle: i, action: "sync inbox" });
    return Buffer.from(
      `POST /api/v1/beats HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
  let answered = 0;
  let next = 0;
  let over = false;
  const began = performance.now();
  const one = () =>
    new Promise<void>((done, failed) => {
      const socket = connect(Number(port), hostname);
      socket.setNoDelay(true);
      const send = () => socket.write(requests[next++ % requests.length] ?? "");
      socket.on("connect", send);
      socket.on("data", (chunk) => {
        const said = chunk.toString("latin1");
        if (!said.startsWith("HTTP/1.1 204"))
          return failed(new Error(`unexpected answer: ${said.slice(0, 200)}`));
        answered += 1;
        if (over) socket.end();
        else send();
      });
      socket.on("error", failed);
      socket.on("close", () => done());
    });
  const timer = setTimeout(() => {
    over = true;
  }, seconds * 1000);
  await Promise.all(Array.from({ length: connections }, one));
  clearTimeout(timer);
  return answered / ((performance.now() - began) / 1000);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
