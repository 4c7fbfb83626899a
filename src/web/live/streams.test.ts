import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ask, HOME_TOKEN, madeUpWeb } from "../../../test/made-up-web.ts";

interface Event {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into what it expects.
  readonly data: any;
}

/** Reads a stream event by event, as a browser would. */
async function stream(url: string, headers: Record<string, string> = {}) {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await fetch(`${url}/api/v1/events`, {
    headers: { authorization: `Bearer ${HOME_TOKEN}`, ...headers },
    signal: abort.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const next = async (): Promise<Event> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const fields = new Map(
          text
            .slice(0, end)
            .split("\n")
            .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
        );
        text = text.slice(end + 2);
        const [id, event, data] = ["id", "event", "data"].map((name) => fields.get(name));
        if (id !== undefined && event !== undefined) return { id, event, data: JSON.parse(data ?? "null") };
      } else {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) throw new Error("the stream ended");
        text += value;
      }
    }
  };
  const until = async (event: string): Promise<Event> => {
    for (;;) {
      const found = await next();
      if (found.event === event) return found;
    }
  };
  return { response, next, until, close: () => abort.abort() };
}

describe("the stream of changes", () => {
  it("tells of beats, flips, removals, incidents and silences when they are committed", async () => {
    const { url } = await madeUpWeb();
    const { next, until, response } = await stream(url);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await next()).toMatchObject({ event: "hello" });
    await ask(`${url}/beat/allegro?status=error&message=oh`);
    expect((await until("agents")).data).toMatchObject([{ id: "allegro", state: "failing", message: "oh" }]);
    expect((await until("flips")).data).toMatchObject([{ agent: "allegro", to: "failing" }]);
    expect((await until("incidents")).data).toMatchObject([{ subject: "allegro", open: true }]);
    const change = { method: "POST", token: HOME_TOKEN, body: { agents: "x", for: "1h" } };
    await ask(`${url}/api/v1/silences`, change);
    expect((await until("silences")).data).toMatchObject([{ agents: "x" }]);
    await ask(`${url}/api/v1/agents/allegro`, { method: "DELETE", token: HOME_TOKEN });
    expect((await until("removed")).data).toEqual(["allegro"]);
  });

  it("shows an agent that beats a hundred times at once a few times, and last its newest state", async () => {
    const { url } = await madeUpWeb();
    const { until } = await stream(url);
    const beats = Array.from({ length: 100 }, (_, i) => ({ agent: "storm", cycle: i + 1 }));
    await Promise.all(beats.map((body) => ask(`${url}/api/v1/beats`, { method: "POST", body })));
    let shown = 0;
    let cycle = 0;
    while (cycle < 100) {
      const { data } = await until("agents");
      shown += data.length;
      cycle = data[0].cycle;
    }
    expect(shown).toBeLessThan(20);
  });

  it("goes on where a reader was, and tells one that was away too long to begin anew", async () => {
    const { url } = await madeUpWeb();
    const first = await stream(url);
    await first.next();
    await ask(`${url}/beat/one`);
    const { id } = await first.until("agents");
    first.close();
    await ask(`${url}/beat/two`);
    const second = await stream(url, { "last-event-id": id });
    expect(await second.next()).toMatchObject({ event: "hello", id });
    const missed = await second.until("agents");
    expect(missed.data.map((each: { id: string }) => each.id)).toContain("two");
    for (const unknown of ["another-7", "99999"]) {
      const third = await stream(url, { "last-event-id": unknown });
      expect(await third.next()).toMatchObject({ event: "reset" });
    }
  });

  it("tells whoever comes back all that was changed while nobody read", async () => {
    const { url } = await madeUpWeb();
    const first = await stream(url);
    const { id } = await first.next();
    first.close();
    const change = { method: "POST", token: HOME_TOKEN };
    await ask(`${url}/beat/allegro?status=error&message=oh`);
    await ask(`${url}/api/v1/silences`, { ...change, body: { agents: "x", for: "1h" } });
    await ask(`${url}/beat/gone`);
    await ask(`${url}/api/v1/agents/gone`, { method: "DELETE", token: HOME_TOKEN });
    const { until } = await stream(url, { "last-event-id": id });
    expect((await until("removed")).data).toEqual(["gone"]);
    expect((await until("flips")).data).toContainEqual(expect.objectContaining({ to: "failing" }));
    expect((await until("incidents")).data).toMatchObject([{ subject: "allegro", open: true }]);
    expect((await until("silences")).data).toMatchObject([{ agents: "x" }]);
    expect((await until("agents")).data).toMatchObject([{ id: "allegro", state: "failing" }]);
  });

  it.each(["gzip", "identity"])("is read to its end when the watcher stops (%s)", async (encoding) => {
    const { url, stop } = await madeUpWeb();
    const response = await fetch(`${url}/api/v1/events`, {
      headers: { authorization: `Bearer ${HOME_TOKEN}`, "accept-encoding": encoding },
    });
    expect(response.headers.get("content-encoding")).toBe(encoding === "gzip" ? "gzip" : null);
    await Promise.all([stop(), expect(response.text()).resolves.toContain("event: hello")]);
  });

  it("is not given to more readers than may be", async () => {
    const { url } = await madeUpWeb();
    const open = await Promise.all(Array.from({ length: 100 }, () => stream(url)));
    const said = await ask(`${url}/api/v1/events`);
    expect(said).toMatchObject({ status: 503, json: { code: "too-many-streams" } });
    expect(said.headers["retry-after"]).toBe("10");
    open[0]?.close();
    expect((await ask(`${url}/beat/allegro`)).status).toBe(200);
  });

  it("is taken from a reader that does not read, and goes on for the others", async () => {
    const { url } = await madeUpWeb();
    const { port } = new URL(url);
    const slow = connect(Number(port), "127.0.0.1");
    const gone = new Promise<void>((done) => slow.on("close", () => done()).on("error", () => {}));
    onTestFinished(() => void slow.destroy());
    slow.write(
      `GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${HOME_TOKEN}\r\n\r\n`,
    );
    await new Promise((done) => slow.once("data", done));
    slow.pause();
    const { until } = await stream(url);
    const message = "x".repeat(9000);
    let dropped = false;
    slow.resume().pause();
    void gone.then(() => {
      dropped = true;
    });
    const streams = async () => {
      const { body } = await ask(`${url}/metrics`);
      return /rollcall_event_streams (\d+)/.exec(body)?.[1];
    };
    while ((await streams()) !== "1" && !dropped) {
      const body = Array.from({ length: 100 }, (_, i) => ({ agent: `a${i}`, message }));
      await ask(`${url}/api/v1/beats`, { method: "POST", body, token: HOME_TOKEN });
      await until("agents");
    }
    expect(await streams()).toBe("1");
  });
});
