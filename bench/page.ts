import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../test/dashboard/browser.ts";
import { FakeWatcher } from "../test/dashboard/fake-watcher.ts";
import type { Result } from "./main.ts";

const AGENTS = 1000;
const ROUNDS = 9;

/**
 * How long a person waits until the rows of 1,000 agents are on the screen, over an empty page of the same server in the same
 * browser; and what is sent for it. Both are opened in turn, each in a browser context of its own, so that nothing is cached.
 */
export async function page(): Promise<Result[]> {
  const watcher = new FakeWatcher(join(import.meta.dirname, "ui"), AGENTS);
  const url = await watcher.listen();
  const { browser, close } = await openBrowser();
  const [rows, empty]: [number[], number[]] = [[], []];
  let bytes = 0;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      empty.push(await timed(browser, `${url}/icon-of-nothing.svg`, (tab) => tab.locator("body").waitFor()));
      rows.push(
        await timed(browser, url, async (tab) => {
          await tab.locator("[data-row]").first().waitFor();
          bytes = await sent(tab);
        }),
      );
    }
  } finally {
    await close();
    await watcher.stop();
  }
  const [ours, bare] = [median(rows), median(empty)];
  return [
    {
      name: `rows of ${AGENTS.toLocaleString("en")} agents visible`,
      ours: `${ours.toFixed(0)} ms`,
      baseline: `${bare.toFixed(0)} ms empty page`,
      ratio: ours / bare,
      aim: "–",
    },
    {
      name: `opening the roll of ${AGENTS.toLocaleString("en")} agents`,
      ours: `${(bytes / 1000).toFixed(0)} KB sent`,
      baseline: "–",
      ratio: null,
      aim: "at most 120 KB",
      value: bytes / 1000,
    },
  ];
}

async function timed(browser: Browser, url: string, seen: (tab: Page) => Promise<void>): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const tab = await context.newPage();
  const began = performance.now();
  await tab.goto(url, { waitUntil: "commit" });
  await seen(tab);
  const took = performance.now() - began;
  await context.close();
  return took;
}

/** Everything that the page has loaded, as it came over the wire. */
function sent(tab: Page): Promise<number> {
  return tab.evaluate<number>(
    `performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
      .reduce((sum, { transferSize }) => sum + transferSize, 0)`,
  );
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
