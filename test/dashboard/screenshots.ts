import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Look, openBrowser, visit } from "./browser.ts";
import { FakeWatcher } from "./fake-watcher.ts";

const [folder = "docs/screenshots"] = process.argv.slice(2);

/** File name, address, and whether it is shown in all looks or in the first only. */
const PICTURES = [
  ["roll", "/", "all"],
  ["agent", "/agents/librarian", "all"],
  ["incidents", "/incidents", "first"],
  ["incident", "", "first"],
  ["schedule", "/schedule", "first"],
  ["ticks", "/ticks", "first"],
  ["deliveries", "/deliveries", "first"],
  ["settings", "/settings", "first"],
] as const;

const LOOKS: readonly Look[] = [
  { width: 1280, colours: "light" },
  { width: 1280, colours: "dark" },
  { width: 390, colours: "light" },
  { width: 390, colours: "dark" },
];

mkdirSync(folder, { recursive: true });
const watcher = new FakeWatcher("dist/ui", 60);
const url = await watcher.listen();
const { incidents } = (await (await fetch(`${url}/api/v1/incidents`)).json()) as {
  incidents: { id: string }[];
};
const { browser, close } = await openBrowser();
for (const look of LOOKS) {
  const { page, context, faults } = await visit(browser, url, look);
  for (const [name, path, looks] of PICTURES) {
    if (looks === "first" && look !== LOOKS[0]) continue;
    await page.goto(`${url}${path === "" ? `/incidents/${incidents[0]?.id}` : path}`);
    await page.getByText("live", { exact: true }).first().waitFor();
    await page.waitForLoadState("load");
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(folder, `${name}-${look.width}-${look.colours}.png`) });
  }
  for (const fault of faults) console.error(`${look.width} ${look.colours}: ${fault}`);
  await context.close();
}
await close();
await watcher.stop();
