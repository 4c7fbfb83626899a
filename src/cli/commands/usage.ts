import { Command } from "commander";
import { sayDuration } from "../../core/duration.ts";
import { dollars, sayTokens } from "../../core/usage/budget.ts";
import { operationsOf } from "../../service/connect.ts";
import type { UsageView } from "../../views/usage.ts";
import { examples } from "../input/arguments.ts";
import { type CommonOptions, mustBeOnRoll, sayThere } from "../output/roll.ts";
import { say, sayJson, table } from "../output/terminal.ts";

export function usageCommand(): Command {
  return new Command("usage")
    .description("show the tokens, cost, context and limits of coding agents")
    .argument("[agent]", "the id of an agent, to show its last days (default: all agents, today)")
    .option("--json", "print JSON: {usage}")
    .addHelpText("after", "\nCosts are the client's own figures, or else list prices.")
    .addHelpText("after", examples("usage", "usage builder"))
    .action(async (agent: string | undefined, options: CommonOptions) => {
      const usage = await operationsOf(options).usage(agent);
      if (options.json === true) return sayJson({ usage });
      const known = usage.filter(({ at }) => at !== null);
      if (known.length === 0)
        return say((await onHosts(options, agent)) ?? "No agent has reported its usage yet (docs/usage.md).");
      say(agent === undefined ? fleet(known) : days(known[0] as UsageView));
      const lines = known.flatMap((one) => sayLimits(one, Date.now()));
      if (lines.length > 0) say(["", ...lines].join("\n"));
    });
}

/** Hosts do not tell their hub what their agents use. */
async function onHosts(options: CommonOptions, agent: string | undefined): Promise<string | undefined> {
  if (agent !== undefined) {
    const there = sayThere("usage", await mustBeOnRoll(options, agent));
    return there && `Each host counts its own agents. ${there}`;
  }
  // Only the head of the answer counts, so that few agents are asked for.
  const { watcher } = await operationsOf(options).roll({ states: ["new"] });
  return watcher.hub === true
    ? "No agent of this hub itself has reported its usage yet. Each host counts its own agents: run rollcall usage there."
    : undefined;
}

function fleet(usage: readonly UsageView[]): string {
  return table(usage, [
    { title: "AGENT", text: ({ agent }) => agent },
    { title: "DAY", text: ({ days: [day] }) => day?.day ?? "–" },
    { title: "TOKENS", text: ({ days: [day] }) => (day === undefined ? "–" : sayTokens(day.tokens)) },
    { title: "COST", text: ({ days: [day] }) => (day === undefined ? "–" : dollars(day.cost)) },
    { title: "CONTEXT", text: ({ context }) => percent(context) },
    { title: "COMPACTED", text: ({ days: [day] }) => String(day?.compactions ?? 0) },
    { title: "5 H LEFT", text: (one) => left(one, "5h") },
    { title: "7 D LEFT", text: (one) => left(one, "7d") },
  ]);
}

function days({ days: list }: UsageView): string {
  return table(list, [
    { title: "DAY", text: ({ day }) => day },
    { title: "TOKENS", text: ({ tokens }) => sayTokens(tokens) },
    { title: "INPUT", text: ({ input }) => sayTokens(input) },
    { title: "OUTPUT", text: ({ output }) => sayTokens(output) },
    { title: "CACHED", text: ({ cacheRead, cacheWrite }) => sayTokens(cacheRead + cacheWrite) },
    { title: "COST", text: ({ cost }) => dollars(cost) },
    { title: "COMPACTED", text: ({ compactions }) => String(compactions) },
  ]);
}

function percent(share: number | null): string {
  return share === null ? "–" : `${Math.round(share * 100)} %`;
}

function left({ limits }: UsageView, name: string): string {
  return percent(limits.find((limit) => limit.name === name)?.left ?? null);
}

/** `builder: 12 % of the 5 h limit is left; at this pace it runs out in 40 min, 1 h before it is reset`. */
export function sayLimits({ agent, limits }: UsageView, now: number): readonly string[] {
  return limits.map(({ name, left: share, resetsAt, runsOutAt }) => {
    const limit = name === "5h" ? "5 h" : "7 d";
    const said = `${agent}: ${percent(share)} of the ${limit} limit is left`;
    const until = (time: string) => sayDuration(Math.max(0, Date.parse(time) - now));
    const resets = resetsAt === null ? "" : `; it is reset in ${until(resetsAt)}`;
    return runsOutAt === null
      ? `${said}${resets}`
      : `${said}; at this pace it runs out in ${until(runsOutAt)}${resets}`;
  });
}
