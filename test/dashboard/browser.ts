import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

export interface Look {
  readonly width: 1280 | 390;
  readonly colours: "light" | "dark";
}

/**
 * Not those that the package proposes: they switch off what a page must live with, such as the Origin header and the
 * rules between sites. The sandbox needs rights that a test does not have.
 */
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none", "--disable-dev-shm-usage"];

/** The browser that the development package brings with it: nothing is downloaded or expected on the machine. */
export async function openBrowser(): Promise<{ browser: Browser; close: () => Promise<void> }> {
  const { default: packed } = await import("@sparticuz/chromium");
  const executablePath = await packed.executablePath();
  // What it writes goes into a folder of its own, which goes with it.
  const folder = mkdtempSync(join(tmpdir(), "rollcall-browser-"));
  mkdirSync(join(folder, "home"));
  const browser = await chromium.launch({
    executablePath,
    args: ARGUMENTS,
    headless: true,
    env: { ...process.env, TMPDIR: folder, HOME: join(folder, "home") } as Record<string, string>,
  });
  return {
    browser,
    close: async () => {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What should not have happened: console errors, exceptions, requests to elsewhere. */
  readonly faults: string[];
  /** Bytes that came over the wire, compressed. */
  readonly transferred: () => number;
}

export async function visit(browser: Browser, url: string, look: Look): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: look.width === 390 ? 844 : 800 },
    colorScheme: look.colours,
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    ...(look.width === 390 ? { hasTouch: true, isMobile: true, deviceScaleFactor: 2 } : {}),
  });
  const page = await context.newPage();
  const faults: string[] = [];
  let bytes = 0;
  page.on("console", (message) => {
    // That a change needs a sign-in, that a part is not there, that a question is gone, and that plain HTTP away from loopback gets less
    // protection, a browser reports as errors of its own.
    const usual = /status of (401|404|409)|Cross-Origin-Opener-Policy header has been ignored/;
    if (message.type() === "error" && !usual.test(message.text())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:"))
      faults.push(`asks ${request.url()}`);
  });
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  return { page, context, faults, transferred: () => bytes };
}
