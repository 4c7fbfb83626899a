import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cli } from "../product.ts";
import { type Look, openBrowser, type Visit, visit } from "./browser.ts";
import {
  beat,
  daemonServesPage,
  demoStage,
  fakeStage,
  otherAddress,
  realStage,
  type Stage,
} from "./stage.ts";

const LOOKS: readonly (Look & { agent: string })[] = [
  { width: 1280, colours: "light", agent: "oriole" },
  { width: 1280, colours: "dark", agent: "piper" },
  { width: 390, colours: "light", agent: "quill" },
  { width: 390, colours: "dark", agent: "reaper" },
];

/** A browser on a machine that is busy with other tests takes its time. */
const PATIENCE = 60_000;
vi.setConfig({ testTimeout: 4 * PATIENCE, hookTimeout: 2 * PATIENCE });

let browser: Browser;
let closeBrowser: () => Promise<void>;

beforeAll(async () => {
  ({ browser, close: closeBrowser } = await openBrowser());
});

afterAll(() => closeBrowser());

/** Visits, signed in unless told otherwise, does something, and asserts that nothing went wrong behind the scenes. */
async function during(
  stage: Stage,
  look: Look,
  act: (visit: Visit) => Promise<void>,
  signedIn = true,
): Promise<void> {
  const visited = await visit(browser, stage.url, look);
  visited.page.setDefaultTimeout(PATIENCE);
  try {
    if (signedIn && stage.signIn !== undefined)
      await visited.context.request.get(await stage.signIn(), { maxRedirects: 0 });
    await act(visited);
    expect(visited.faults).toEqual([]);
  } finally {
    await visited.context.close();
  }
}

async function violations(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}

const row = (page: Page, agent: string) => page.locator(`[data-row="${agent}"]`);

describe("the dashboard", () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = daemonServesPage ? await realStage() : await fakeStage();
    for (const { agent } of LOOKS) await beat(stage, { agent, action: "tidy up" });
  });
  afterAll(() => stage.close());

  it.each(LOOKS)(
    "shows the roll and a flip live, and an incident is acknowledged: $width $colours",
    async (look) => {
      await during(
        stage,
        look,
        async ({ page }) => {
          const { agent } = look;
          await page.goto(stage.url);
          const dialog = page.getByRole("dialog", { name: "Sign in" });
          await dialog.getByText("rollcall open").waitFor();
          await handIn(page, "not the token");
          await dialog.getByText("does not know that token").waitFor();
          expect(await violations(page)).toEqual([]);
          await handIn(page, stage.token);
          await row(page, agent).getByText("alive").waitFor();
          expect(await violations(page)).toEqual([]);

          await page.getByLabel("search agents").fill(agent);
          await page.waitForURL(`${stage.url}/?q=${agent}`);
          await page.reload();
          await row(page, agent).waitFor();
          const rows = await page.locator("[data-row]").all();
          for (const each of rows) expect(await each.getAttribute("data-row")).toContain(agent);

          await beat(stage, { agent, status: "error", message: "disk <b>full</b>" });
          await row(page, agent).getByText("failing").waitFor();

          await row(page, agent).getByRole("link", { name: agent }).click();
          await page.locator(".why").getByText("disk <b>full</b>").waitFor();
          expect(await violations(page)).toEqual([]);

          const acknowledge = page.getByRole("button", { name: "Acknowledge" });
          await acknowledge.click();
          await page.getByText("Acknowledged.").waitFor();
          await page.locator("button:disabled", { hasText: "Acknowledge" }).waitFor();

          await page.getByRole("link", { name: "Incidents" }).click();
          const incident = page.locator(".incident.open", { hasText: agent });
          await incident.getByText("acknowledged").waitFor();

          await beat(stage, { agent, status: "ok" });
          await page.getByRole("link", { name: "Roll", exact: true }).click();
          await row(page, agent).getByText("alive").waitFor();
        },
        false,
      );
    },
  );
});

const bearer = ({ token }: Stage) => ({ authorization: `Bearer ${token}` });

/** Signs in with a token, in a dialog that is open. */
async function handIn(page: Page, token: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Sign in" });
  await dialog.getByRole("textbox", { name: "Token" }).fill(token);
  await dialog.getByRole("button", { name: "Sign in" }).click();
}

it("from another machine the page asks for a token, shows the roll with it, and nothing without", async (context) => {
  // Without a network there is no address that counts as another machine's.
  if (otherAddress === undefined) return context.skip();
  const stage = await realStage({}, otherAddress);
  try {
    await beat(stage, { agent: "far" });
    await during(
      stage,
      LOOKS[3] as Look,
      async ({ page, context }) => {
        const dialog = page.getByRole("dialog", { name: "Sign in" });
        // The dialog comes every time, not by luck.
        for (let time = 0; time < 3; time++) {
          await page.goto(stage.url);
          await dialog.getByText("rollcall token create").waitFor();
        }
        expect(await violations(page)).toEqual([]);
        await dialog.getByRole("button", { name: "Not now" }).click();
        await page.getByRole("heading", { name: "Sign in to see the roll" }).waitFor();
        expect(await page.locator("body").textContent()).not.toMatch(/Not connected|Does the watcher run/);
        expect(await violations(page)).toEqual([]);
        await page.getByRole("banner").getByRole("button", { name: "Sign in" }).click();
        await handIn(page, "rc_not-a-token");
        await dialog.getByText("does not know that token").waitFor();
        await handIn(page, stage.token);
        await row(page, "far").getByText("alive").waitFor();
        await page.getByText("live", { exact: true }).waitFor();
        await page.getByRole("link", { name: "Incidents" }).click();
        await page.getByText("No incident is open.").waitFor();

        // The other tabs of this browser have the same session.
        const other = await context.newPage();
        await other.goto(stage.url);
        await row(other, "far").waitFor();
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByRole("heading", { name: "Sign in to see the roll" }).waitFor();
        await handIn(other, stage.token);
        await page.getByText("live", { exact: true }).waitFor();

        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByRole("heading", { name: "Sign in to see the roll" }).waitFor();
        await page.goto(stage.url);
        await dialog.waitFor();
        expect(await page.locator("[data-row]").count()).toBe(0);
      },
      false,
    );
  } finally {
    await stage.close();
  }
});

describe("many tabs of one browser", () => {
  /** More than a browser opens connections to one address. */
  const TABS = 8;
  let stage: Stage;

  beforeAll(async () => {
    stage = await realStage();
    await beat(stage, { agent: "shared" });
  });
  afterAll(() => stage.close());

  async function streams(): Promise<number> {
    const text = await (await fetch(`${stage.url}/metrics`, { headers: bearer(stage) })).text();
    return Number(/rollcall_event_streams (\d+)/.exec(text)?.[1]);
  }

  it("all load and are live on one stream, also when one is closed and one was frozen", async () => {
    await during(stage, LOOKS[0] as Look, async ({ page, context }) => {
      const tabs = [page];
      while (tabs.length < TABS) tabs.push(await context.newPage());
      for (const tab of tabs) {
        await tab.goto(stage.url);
        await tab.getByText("live", { exact: true }).waitFor();
      }
      expect(await streams()).toBe(1);
      await beat(stage, { agent: "shared", status: "error", message: "to all" });
      for (const tab of tabs) await row(tab, "shared").getByText("failing").waitFor();

      const [, frozen] = tabs;
      const life = await context.newCDPSession(frozen as Page);
      await life.send("Page.setWebLifecycleState", { state: "frozen" });
      await page.close();
      await beat(stage, { agent: "shared" });
      await life.send("Page.setWebLifecycleState", { state: "active" });
      for (const tab of tabs.slice(1)) await row(tab, "shared").getByText("alive").waitFor();
      expect(await streams()).toBe(1);
    });
  });

  it("have a stream each where the browser cannot share one", async () => {
    await during(stage, LOOKS[0] as Look, async ({ page, context }) => {
      await context.addInitScript("delete globalThis.SharedWorker");
      const other = await context.newPage();
      for (const tab of [page, other]) {
        await tab.goto(stage.url);
        await tab.getByText("live", { exact: true }).waitFor();
      }
      await beat(stage, { agent: "alone" });
      for (const tab of [page, other]) await row(tab, "alone").waitFor();
    });
  });
});

/** Resolves when the watcher says that a channel fails. */
async function failingChannel(stage: Stage): Promise<void> {
  const ask = async () => {
    const answer = await fetch(`${stage.url}/api/v1/watcher`, { headers: bearer(stage) });
    return ((await answer.json()) as { failingChannels: unknown[] }).failingChannels.length;
  };
  await expect.poll(ask, { timeout: 2 * PATIENCE }).toBe(1);
}

it("the incidents page shows a group's incident before any number of newer ones, counts them all, and tells who was not told", async () => {
  const silent = Array.from({ length: 5 }, (_, n) => `  - { id: g${n}, group: build, every: 1s, grace: 1s }`);
  const stage = await realStage({
    "rollcall.yaml": `policy: { hold: 1s, group: 100ms }
channels: { team: { kind: command, argv: [sh, -c, "exit 75"] } }
agents:
${silent.join("\n")}
`,
  });
  try {
    const failing = Array.from({ length: 120 }, (_, n) => ({ agent: `bad-${n}`, status: "error" }));
    await beat(stage, failing);
    await during(stage, LOOKS[0] as Look, async ({ page }) => {
      await page.goto(`${stage.url}/incidents`);
      const open = page.getByRole("region", { name: "Open" });
      await open.getByText("126, of which 5 within a group").waitFor();
      await open.getByRole("listitem").first().getByText("group build").waitFor();
      const members = open.getByRole("listitem").first().getByText("5 agents", { exact: true });
      await members.waitFor();
      await open.getByRole("button", { name: "Show 100 more" }).click();
      await expect.poll(() => open.getByRole("listitem").count(), { timeout: PATIENCE }).toBe(121);
      expect(await open.getByText("g0", { exact: true }).count()).toBe(0);
      await members.click();
      await open.getByText("g0", { exact: true }).waitFor();

      // Some are marked and acknowledged together; the others stay.
      await page.getByLabel("search incidents").fill("bad-1");
      await expect.poll(() => open.getByRole("listitem").count(), { timeout: PATIENCE }).toBe(31);
      await open.getByLabel("all", { exact: true }).check();
      await open.getByRole("button", { name: "Acknowledge 31" }).click();
      await page.getByText("Acknowledged 31").waitFor();
      await page.getByLabel("not acknowledged").check();
      await open.getByText("None matches this filter.").waitFor();
      await page.getByLabel("search incidents").fill("");
      await open.getByRole("link", { name: "bad-7", exact: true }).waitFor();
      await page.getByLabel("not acknowledged").uncheck();

      // Its channel fails: nobody was told, and every page says so.
      await failingChannel(stage);
      await page.reload();
      await page.getByText("Channel team fails.").waitFor();
      await open.getByRole("link", { name: "bad-7", exact: true }).click();
      await page.getByText("Not delivered", { exact: true }).waitFor();
      await page.getByText(/team: 1 message from/).waitFor();
      expect(await page.getByText("Delivered", { exact: true }).count()).toBe(0);
      await page.locator(".d-failing").first().waitFor();
      expect(await violations(page)).toEqual([]);
    });
  } finally {
    await stage.close();
  }
});

it("the schedule, ticks, settings and recoveries of a real watcher are on their pages, and change live", async () => {
  const registry = { agents: [{ id: "bot", name: "Bot", active: true }] };
  const [month = ""] = /^....-../.exec(new Date().toISOString()) ?? [];
  const tick = { agent: "bot", month, status: "healthy", submitted_at: new Date().toISOString() };
  const stage = await realStage({
    "rollcall.yaml": `agents:
  - { id: bot, recover: [{ do: restart, with: { command: ["true"] }, when: { states: [failing] } }] }
heartbeat: { actions: [{ name: tidy, every: 6h, command: { argv: [echo, "all tidy"] } }] }
tick: { registry: registry.json, ticks: ticks }
`,
    "registry.json": JSON.stringify(registry),
    [`ticks/${month}/bot.json`]: JSON.stringify({
      ...tick,
      vitals: { gateway_running: true, home_directory_accessible: true, config_valid: true },
      capabilities: {},
    }),
  });
  try {
    await during(
      stage,
      LOOKS[2] as Look,
      async ({ page, context }) => {
        const address = `${await stage.signIn?.()}`;
        await page.goto(address);
        await page.getByText("live", { exact: true }).waitFor();
        expect(page.url()).toBe(`${stage.url}/`);
        await context.clearCookies();
        await page.goto(address);
        await page.getByText("rollcall open").waitFor();
        await page.getByRole("link", { name: "sign in with a token" }).click();
        await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      },
      false,
    );
    await during(stage, LOOKS[0] as Look, async ({ page }) => {
      await page.goto(`${stage.url}/agents/bot`);
      await page.getByRole("heading", { name: "bot" }).waitFor();
      // What is done about it is told by the stream.
      await beat(stage, { agent: "bot", status: "error", message: "out of paper" });
      await page.getByText("restart done").first().waitFor();

      await page.getByRole("link", { name: "Schedule" }).click();
      const tidy = page.getByRole("region", { name: "tidy" });
      await tidy.getByText("never ran").waitFor();
      await tidy.getByRole("button", { name: "run tidy now" }).click();
      await tidy.getByText("done", { exact: true }).waitFor();

      await page.getByRole("link", { name: "Ticks" }).click();
      await page.getByRole("row", { name: "bot" }).getByText("✓").waitFor();
      await page.getByRole("link", { name: "Settings" }).click();
      await page.getByText("livenessInterval").waitFor();
      expect(await page.locator("body").textContent()).not.toContain(stage.token);
    });
  } finally {
    await stage.close();
  }
});

/** Notes what the page notifies of, in `told`. */
const RECORDED = `globalThis.told = [];
  globalThis.Notification = class extends Notification {
    constructor(title, options) {
      super(title, options);
      told.push(title);
    }
  };`;

describe("the demo fleet", () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await demoStage();
  });
  afterAll(() => stage.close());

  it("says who needs you, and a question is answered on its card", async (context) => {
    await during(stage, LOOKS[2] as Look, async ({ page }) => {
      await page.goto(stage.url);
      const card = page.getByRole("article", { name: "release waits" });
      await card.getByText("npm run release -- --tag 2.4.1").waitFor();
      await page.getByRole("heading", { level: 1 }).getByText("1 agent waits for you").waitFor();
      if ((await card.getByText(/^tmux -S \S+\/rollcall-demo-\d+ attach -t release$/).count()) === 0)
        return context.skip("there is no tmux");
      expect(await page.title()).toMatch(/^\(\d+\) Roll · Rollcall$/);
      expect(await page.locator("link[rel=icon]").getAttribute("href")).toContain("data:image/svg+xml");
      expect(await violations(page)).toEqual([]);
      await card.getByRole("button", { name: "answer release: 1, Yes" }).click();
      await page.getByText("Answered release: 1, Yes.").waitFor();
      await card.waitFor({ state: "detached" });
      await row(page, "release").getByText("alive").waitFor();
      // The focus does not fall off the page with the card.
      await page.locator("h1:focus").waitFor();

      // It asks again after a while, and its page shows question and screen.
      await page.goto(`${stage.url}/agents/release`);
      await page.getByRole("region", { name: "It asks" }).getByText("--tag 2.4.2").waitFor();
      await page.getByRole("region", { name: "the agent's screen, as text" }).getByText("3. No").waitFor();
    });
  });

  it("shows ranges of an agent's past, and its evidence behind one click", async () => {
    await during(stage, LOOKS[1] as Look, async ({ page }) => {
      await page.goto(`${stage.url}/agents/mailer`);
      for (const range of ["7 d", "30 d", "90 d", "24 h"]) {
        const asked = page.waitForResponse((answer) => answer.url().includes("/range?hours="));
        await page.getByRole("button", { name: range, exact: true }).click();
        const { beats, states } = (await (await asked).json()) as { beats: number[]; states: object[] };
        expect(beats.length).toBe(states.length);
        expect(beats.reduce((sum, count) => sum + count)).toBeGreaterThan(0);
        await page.getByRole("img", { name: /^[1-9]\d* beats$/ }).waitFor();
      }
      expect(await page.getByText("beat from").isVisible()).toBe(false);
      await page.getByText("Why alive?").click();
      await page.getByText(/beat from .*, status ok/).waitFor();
      expect(await violations(page)).toEqual([]);
    });
  });

  it("notifies of trouble when the browser permits it and nobody looks", async () => {
    await during(stage, LOOKS[0] as Look, async ({ page, context }) => {
      await context.addInitScript(RECORDED);
      const bell = page.getByRole("button", { name: "browser notifications" });
      await page.goto(stage.url);
      await bell.click();
      await page.getByText("The browser does not permit notifications").waitFor();
      await context.grantPermissions(["notifications"]);
      await page.reload();
      await bell.click();
      await page.locator(".bell[aria-pressed=true]").waitFor();
      // What is already so when the page first reads the roll is no news.
      await page.getByText("live", { exact: true }).waitFor();
      await page.evaluate('Object.defineProperty(document, "visibilityState", { get: () => "hidden" })');
      await beat(stage, { agent: "printer", status: "error", message: "no paper" });
      const told = () => page.evaluate<string[]>("told");
      await expect.poll(told, { timeout: PATIENCE }).toContain("printer is failing");
    });
  });
});

describe("the pages, with a made-up watcher", () => {
  let stage: Awaited<ReturnType<typeof fakeStage>>;

  beforeAll(async () => {
    stage = await fakeStage();
  });
  afterAll(() => stage.close());

  // Both widths and both colours: the four together are seen by the specs above.
  const opposites = LOOKS.filter(({ width, colours }) => (width === 1280) === (colours === "light"));

  it.each(opposites)(
    "can be used by everybody, and stay within the screen: $width $colours",
    async (look) => {
      await during(stage, look, async ({ page }) => {
        await page.goto(`${stage.url}/incidents`);
        const incident = await page.locator(".incident a").first().getAttribute("href");
        const pages = [
          "/",
          "/incidents",
          "/schedule",
          "/ticks",
          "/deliveries",
          "/settings",
          "/settings?show=hosts",
          "/settings?show=tokens",
          "/settings?show=audit",
          "/agents/allegro",
          `${incident}`,
        ];
        for (const path of [...pages, "/nowhere"]) {
          await page.goto(`${stage.url}${path}`);
          await page.locator("h1, .empty-title").first().waitFor();
          expect([path, await violations(page)]).toEqual([path, []]);
          // A phone lays a page that is too wide out at its whole width: innerWidth would grow with it.
          const width = await page.evaluate("document.documentElement.scrollWidth");
          expect([path, width]).toEqual([path, look.width]);
        }
      });
    },
  );

  it("says plainly when it is not connected, and finds back by itself", async () => {
    await during(stage, { width: 1280, colours: "light" }, async ({ page, faults }) => {
      await page.goto(stage.url);
      await page.getByText("live", { exact: true }).waitFor();
      stage.watcher.away = true;
      stage.watcher.dropStreams();
      await page.getByText("Not connected.").waitFor();
      expect(await violations(page)).toEqual([]);
      stage.watcher.away = false;
      await page.getByText("live", { exact: true }).waitFor();
      // A browser reports the answers of a watcher that is away as errors.
      faults.splice(0, faults.length, ...faults.filter((fault) => !/503|ERR_/.test(fault)));
    });
  });

  it("says plainly when the watcher is not watching", async () => {
    stage.watcher.blindSince = new Date(Date.now() - 90_000).toISOString();
    await during(stage, { width: 390, colours: "dark" }, async ({ page }) => {
      await page.goto(stage.url);
      await page.getByText("The watcher is not watching.").waitFor();
      expect(await violations(page)).toEqual([]);
    });
    stage.watcher.blindSince = null;
  });

  it("is led by keys: move, open, go back, search, help", async () => {
    await during(stage, { width: 1280, colours: "dark" }, async ({ page }) => {
      await page.goto(stage.url);
      await page.getByText("live", { exact: true }).waitFor();
      await page.locator("[data-row]").first().waitFor();
      // Rows may still move while the page is read: each key is pressed when the one before has done its work.
      for (const index of [0, 1]) {
        await page.keyboard.press("j");
        await page.locator(`[data-index="${index}"]:focus`).waitFor();
      }
      const focused = await page.locator("[data-row]:has(:focus)").getAttribute("data-row");
      await page.keyboard.press("Enter");
      await page.waitForURL(`${stage.url}/agents/${focused}`);
      await page.keyboard.press("r");
      await page.waitForURL(`${stage.url}/`);
      await page.locator("[data-row]").first().waitFor();
      await page.keyboard.press("/");
      await page.locator("input:focus").waitFor();
      await page.keyboard.type("ezra?");
      await page.waitForURL(`${stage.url}/?q=ezra%3F`);
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys and states" }).waitFor();
      expect(await violations(page)).toEqual([]);
    });
  });

  it("says what to do next where nobody is on the roll", async () => {
    const empty = await fakeStage(0);
    await during(empty, { width: 1280, colours: "light" }, async ({ page }) => {
      await page.goto(empty.url);
      await page.getByText("rollcall beat my-agent").waitFor();
      expect(await violations(page)).toEqual([]);
    });
    await empty.close();
  });
});

describe("the hosts of a hub", () => {
  let stage: Awaited<ReturnType<typeof fakeStage>>;

  beforeAll(async () => {
    stage = await fakeStage(24, "hub");
  });
  afterAll(() => stage.close());

  it.each(LOOKS)("are seen on every page by everybody: $width $colours", async (look) => {
    await during(stage, look, async ({ page }) => {
      await page.goto(`${stage.url}/?by=host`);
      await page.locator('[data-heading="vps-1"]').getByText("out of contact for").waitFor();
      const far = await page.locator('[data-row$="@vps-1"]').first().getAttribute("data-row");
      expect(await page.locator(".c-host:visible").count()).toBe(0);
      for (const path of ["/?by=host", "/?by=group", "/hosts", `/agents/${far}`, "/incidents"]) {
        await page.goto(`${stage.url}${path}`);
        await page.locator("[data-row], h1:not(.hidden)").first().waitFor();
        expect([path, await violations(page)]).toEqual([path, []]);
        const width = await page.evaluate("document.documentElement.scrollWidth");
        expect([path, width]).toEqual([path, look.width]);
      }
      await page.goto(`${stage.url}/agents/${far}`);
      await page.getByRole("alert").getByText("Host vps-1 is out of contact.").waitFor();
      await page.getByText("It cannot be shown while its host is out of contact.").waitFor();
    });
  });

  it("lead to their agents, and a heading to those under it", async () => {
    await during(stage, LOOKS[0] as Look, async ({ page }) => {
      await page.goto(stage.url);
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Hosts" }).click();
      const host = page.locator('[data-host="vps-1"]');
      await host.getByText("6 h fast").waitFor();
      await host.getByText("312").waitFor();
      await page.getByText("rollcall hosts invite NAME").waitFor();
      await host.getByRole("link", { name: "vps-1" }).click();
      await page.waitForURL(`${stage.url}/?host=vps-1`);
      await page.locator('[data-row="rollcall@vps-1"]').waitFor();
      for (const each of await page.locator("[data-row]").all())
        expect(await each.getAttribute("data-row")).toMatch(/@vps-1$/);
      await page.goto(stage.url);
      await page.getByLabel("headings").selectOption("host");
      await page.waitForURL(`${stage.url}/?by=host`);
      await page.locator('[data-heading="attic"]').getByRole("link").click();
      await page.waitForURL(`${stage.url}/?host=attic`);
    });
  });

  it("are not spoken of by a watcher that is no hub", async () => {
    const alone = await fakeStage();
    await during(alone, LOOKS[2] as Look, async ({ page }) => {
      await page.goto(alone.url);
      await page.locator("[data-row]").first().waitFor();
      expect(await page.getByRole("link", { name: "Hosts" }).count()).toBe(0);
      await page.goto(`${alone.url}/hosts`);
      await page.getByText("rollcall up --hub").waitFor();
      expect(await violations(page)).toEqual([]);
    });
    await alone.close();
  });

  it("are invited, seen with their agents, and revoked after a question, with a real hub and a real host", async () => {
    const hub = await realStage({}, "127.0.0.1", ["--hub"]);
    const host = await realStage();
    try {
      await during(hub, LOOKS[0] as Look, async ({ page }) => {
        await page.goto(`${hub.url}/hosts`);
        await page.getByText("No host reports to this hub yet.").waitFor();
        const { stdout } = await cli(hub.home, "hosts", "invite", "web1");
        const [, , url = "", code = ""] = stdout.trim().split(" ");
        expect(await cli(host.home, "join", url, code)).toMatchObject({ status: 0 });
        await beat(host, { agent: "bot", status: "error", message: "out of paper" });
        const row = page.locator('[data-host="web1"]');
        await row.getByText("1 failing").waitFor();
        expect(await violations(page)).toEqual([]);
        await row.getByRole("link", { name: "1 failing" }).click();
        await page.locator('[data-row="bot@web1"]').getByRole("link").click();
        await page.getByText("on host web1").waitFor();
        await page.getByRole("link", { name: "open incident" }).click();
        await page.getByRole("link", { name: "web1", exact: true }).waitFor();

        await page.getByRole("link", { name: "Hosts" }).click();
        const dialog = page.getByRole("dialog", { name: "Revoke web1?" });
        await page.getByRole("button", { name: "revoke web1" }).click();
        expect(await violations(page)).toEqual([]);
        await dialog.getByRole("button", { name: "Cancel" }).click();
        await page.getByRole("button", { name: "revoke web1" }).click();
        await dialog.getByRole("button", { name: "Revoke" }).click();
        await page.getByText("web1 is revoked.").waitFor();
        await page.getByText("No host reports to this hub yet.").waitFor();
        await page.getByRole("link", { name: "Roll", exact: true }).click();
        await page.locator("[data-row]").first().waitFor();
        const left = () => page.locator('[data-row$="@web1"]').count();
        await expect.poll(left, { timeout: PATIENCE }).toBe(0);
      });
    } finally {
      await Promise.all([hub.close(), host.close()]);
    }
  });
});

/** A thousand agents each with a day behind it; and of the real daemon, which says more of each but knows no past. */
const LARGE: [string, () => Promise<Stage>][] = [["a made-up watcher", () => fakeStage(1000)]];
if (daemonServesPage) LARGE.push(["the daemon", thousandOfDaemon]);

describe.each(LARGE)("1,000 agents of %s", (_, open) => {
  it("come in at most 120 KB, and only what is in view is drawn", async () => {
    const large = await open();
    await during(large, { width: 1280, colours: "light" }, async ({ page, transferred }) => {
      await page.goto(large.url);
      // The daemon stands on its own roll, too.
      await page.getByText(/^100[01] agents/).waitFor();
      await page.locator("[data-row] .strip path").first().waitFor();
      expect(transferred()).toBeLessThan(120_000);
      expect(await page.locator("[data-row]").count()).toBeLessThan(80);
      await page.keyboard.press("End");
      const last = await page.getByRole("table").getAttribute("aria-rowcount");
      await page.locator(`[aria-rowindex="${last}"]`).waitFor();
      expect(await page.locator("[data-row]").count()).toBeLessThan(80);
    });
    await large.close();
  });
});

it.runIf(daemonServesPage)(
  "of a large fleet, those in trouble and those that are looked for are read",
  async () => {
    const ids = Array.from({ length: 6000 }, (_, i) => `worker-${i}`);
    const declared = ids.map((id) => `  - { id: ${id}, every: 1h }\n`).join("");
    const large = await realStage({ "rollcall.yaml": `agents:\n${declared}` });
    await beat(large, [{ agent: "worker-77", status: "error", message: "the disk is full" }]);
    await during(large, { width: 1280, colours: "light" }, async ({ page, transferred }) => {
      await page.goto(large.url);
      await page.getByText("1 of 6001 agents").waitFor();
      expect(transferred()).toBeLessThan(120_000);
      await page.getByRole("heading", { name: "1 agent is failing" }).waitFor();
      await page.locator('[data-row="worker-77"]').getByText("the disk is full").waitFor();
      expect(await page.locator("[data-row]").count()).toBe(1);
      await page.getByRole("button", { name: "5999 new" }).waitFor();
      await page.getByLabel("search agents").fill("worker-5999");
      await page.locator('[data-row="worker-5999"]').waitFor();
      await page.getByLabel("search agents").fill("");
      await page.locator('[data-row="worker-77"]').waitFor();
      // What happens is read again by and by.
      await beat(large, [{ agent: "worker-78", status: "error" }]);
      await page.getByRole("heading", { name: "2 agents are failing" }).waitFor();
    });
    await large.close();
  },
);

async function thousandOfDaemon(): Promise<Stage> {
  const stage = await realStage();
  const agents = Array.from({ length: 1000 }, (_, i) => ({
    agent: `worker-${i}`,
    action: `step ${i}`,
    cycle: i,
  }));
  for (let i = 0; i < 1000; i += 200) await beat(stage, agents.slice(i, i + 200));
  return stage;
}
