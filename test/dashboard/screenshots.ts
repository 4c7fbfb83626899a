// Pictures of the demo fleet for the docs: the page as a browser shows it, `status` and `top` as a terminal does.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type Look, openBrowser, visit } from "./browser.ts";
import { demoStage, type Stage } from "./stage.ts";
import { pictureOf, SIZES, THEMES } from "./terminal-picture.ts";

const [folder = "docs/screenshots"] = process.argv.slice(2);

const LOOKS: readonly Look[] = [
  { width: 1280, colours: "light" },
  { width: 1280, colours: "dark" },
  { width: 390, colours: "light" },
  { width: 390, colours: "dark" },
];
const [WIDE] = LOOKS;

/** File name, address, and whether it is shown in all looks or in the first only. */
const PICTURES = [
  ["roll", "/", "all"],
  ["agent", "/agents/release", "all"],
  ["range", "/agents/trainer?range=90d", "first"],
  ["incidents", "/incidents", "all"],
  ["deliveries", "/deliveries", "first"],
  ["audit", "/settings?show=audit", "first"],
] as const;

/** By then everything has happened that the demo says on its banner. */
const SETTLED = 45_000;

mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) rmSync(join(folder, name));
const stage = await demoStage();
try {
  await new Promise((done) => setTimeout(done, SETTLED));
  await picturesOfTerminals(stage);
  await picturesOfPages(stage);
} finally {
  await stage.close();
}

async function picturesOfTerminals({ home }: { readonly home: string }): Promise<void> {
  for (const size of SIZES) {
    for (const command of ["status", "top"] as const) {
      for (const theme of THEMES) {
        const file = join(folder, `${command}-${size.columns}x${size.rows}-${theme}.svg`);
        writeFileSync(file, await pictureOf(home, command, size, theme));
      }
    }
  }
}

async function picturesOfPages({ url, signIn }: Stage): Promise<void> {
  const { browser, close } = await openBrowser();
  for (const look of LOOKS) {
    const { page, context, faults } = await visit(browser, url, look);
    if (signIn !== undefined) await context.request.get(await signIn(), { maxRedirects: 0 });
    for (const [name, path, looks] of PICTURES) {
      if (looks === "first" && look !== WIDE) continue;
      await page.goto(`${url}${path}`);
      await page.getByText("live", { exact: true }).first().waitFor();
      await page.waitForLoadState("networkidle", { timeout: 3000 }).catch(() => {});
      await page.waitForTimeout(1000);
      writeFileSync(join(folder, `${name}-${look.width}-${look.colours}.webp`), await shot(page));
    }
    for (const fault of faults) console.error(`${look.width} ${look.colours}: ${fault}`);
    await context.close();
  }
  await close();
}

/** WebP: a third of a PNG. */
async function shot(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 });
  await session.detach();
  return Buffer.from(data, "base64");
}
