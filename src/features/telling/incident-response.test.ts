import { afterEach, expect, test, vi } from "vitest";
import { defaultConfig } from "../../config/load.ts";
import { MINUTE } from "../../core/duration.ts";
import { memoryStore } from "../../store/memory/memory.ts";
import { systemClock } from "../../system/clock.ts";
import { Canary } from "../../watch/canary.ts";
import { Watcher } from "../../watch/watcher.ts";
import { IncidentResponse } from "./incident-response.ts";
import { tellingOf } from "./routing.ts";

afterEach(() => void vi.restoreAllMocks());

const LOG = { info() {}, warn() {}, error() {}, debug() {} } as never;
const TELLS = defaultConfig();
/** As on a host, whose hub tells. */
const SILENT = { ...TELLS, policy: { ...TELLS.policy, tell: [] } };

test("a canary dies only where people are told of deaths, also after a reload", async () => {
  const did: string[] = [];
  for (const deed of ["start", "stop"] as const)
    vi.spyOn(Canary.prototype, deed).mockImplementation(async () => void did.push(deed));
  const store = memoryStore();
  const rule = { every: MINUTE, grace: MINUTE };
  const policy = { autoRegister: true, defaultRule: rule, agents: [] };
  const watcher = await Watcher.load({ store, clock: systemClock, log: LOG, bootId: "b", host: "h" }, policy);
  const response = new IncidentResponse(SILENT, LOG);
  await response.begin({
    watcher,
    store,
    home: "/",
    peek: async () => undefined,
    asked: async () => undefined,
  });
  expect(did).toEqual(["stop"]);
  await response.prepare(TELLS)();
  await response.prepare(TELLS)();
  expect(did).toEqual(["stop", "start"]);
  await response.prepare(SILENT)();
  expect(did).toEqual(["stop", "start", "stop"]);
});

test("the canary's route is there only where people are told", () => {
  const routes = (config: typeof TELLS) => {
    const policy = { autoRegister: true, agents: [], telling: tellingOf(config) } as never;
    return new IncidentResponse(config, LOG).routed(policy).telling?.routes.map(({ to }) => to);
  };
  expect(routes(TELLS)).toEqual([["canary"], ["console"]]);
  expect(routes(SILENT)).toEqual([]);
});
