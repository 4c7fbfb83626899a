import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ask, madeUpWeb } from "../../test/made-up-web.ts";

describe("the pages", () => {
  it("that are not built say so, and where else to look", async () => {
    const { url } = await madeUpWeb();
    const said = await ask(`${url}/`);
    expect(said).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8" } });
    expect(said.body).toContain("npm run build");
    expect((await ask(`${url}/app.js`)).status).toBe(404);
  });

  it("that are built are served: what has a hash for ever, the rest asked for again, compressed if there is such", async () => {
    const { url, pages } = await madeUpWeb();
    mkdirSync(join(pages, "assets"));
    writeFileSync(join(pages, "index.html"), "<!doctype html>page");
    const script = "console.log(1)".repeat(100);
    const file = join(pages, "assets", "index-Ab3dE6gh.js");
    writeFileSync(file, script);
    writeFileSync(`${file}.br`, brotliCompressSync(script));
    writeFileSync(`${file}.gz`, gzipSync(script));
    const page = await ask(`${url}/agents/allegro?x=1`, { headers: { accept: "text/html,*/*" } });
    const dotted = await ask(`${url}/agents/build.7`, { headers: { accept: "text/html,*/*" } });
    expect(dotted.body).toBe("<!doctype html>page");
    expect((await ask(`${url}/agents/allegro`)).status, "for a program there is nothing").toBe(404);
    expect(page).toMatchObject({
      status: 200,
      body: "<!doctype html>page",
      headers: { "cache-control": "no-cache" },
    });
    const again = await ask(`${url}/`, { headers: { "if-none-match": String(page.headers.etag) } });
    expect(again).toMatchObject({ status: 304, body: "" });
    const path = `${url}/assets/index-Ab3dE6gh.js`;
    expect(await ask(path)).toMatchObject({
      body: script,
      headers: {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=31536000, immutable",
      },
    });
    for (const [accepted, encoding] of [
      ["gzip, br", "br"],
      ["gzip", "gzip"],
    ]) {
      const packed = await ask(path, { headers: { "accept-encoding": String(accepted) } });
      expect(packed.headers).toMatchObject({ "content-encoding": encoding, vary: "accept-encoding" });
    }
    expect(await ask(path, { method: "HEAD" })).toMatchObject({ status: 200, body: "" });
    expect(await ask(path, { method: "POST" })).toMatchObject({ status: 405 });
  });
});
