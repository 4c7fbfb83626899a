import { Command } from "commander";
import { operationsOf } from "../../service/connect.ts";
import { firstOf } from "../../service/page.ts";
import type { DeliveryView } from "../../views/show.ts";
import { countOf } from "../output/count.ts";
import type { Common } from "../output/roll.ts";
import { say, sayDone, sayJson, table, when } from "../output/terminal.ts";
import { sayState } from "../output/told.ts";

interface ListOptions extends Common {
  readonly open?: true;
  readonly to?: string;
  readonly limit: number;
  readonly json?: true;
}

export function deliveriesCommand(): Command {
  const deliveries = new Command("deliveries").description("what was sent to whom, and how it went");

  deliveries
    .command("list")
    .description("deliveries, newest first")
    .option("--open", "only what is still to be sent")
    .option("--to <channel>", "to one channel only")
    .option("--limit <n>", "how many", countOf, 50)
    .option("--json", "for programs: {deliveries}")
    .addHelpText("after", "\nExample:\n  $ rollcall deliveries list --open")
    .action(async ({ open, to, limit, json, ...where }: ListOptions) => {
      const operations = operationsOf(where);
      const found = await firstOf(limit, (wanted) => operations.deliveries({ to, open }, wanted));
      if (json === true) return sayJson({ deliveries: found });
      if (found.length === 0)
        return say(open === true ? "Nothing waits to be sent." : "Nothing was ever sent.");
      const now = Date.now();
      say(
        table<DeliveryView>(found, [
          { title: "CREATED", text: ({ createdAt }) => when(createdAt) },
          { title: "TO", text: ({ to: place }) => place, most: 20 },
          { title: "STATE", text: (delivery) => sayState(delivery, now) },
          { title: "TRIES", text: ({ attempts }) => String(attempts) },
          { title: "KEY", text: ({ key }) => key, most: 60 },
          {
            title: "SAYS",
            text: ({ message, problem }) =>
              problem === null ? message.title : `${message.title} — ${problem}`,
          },
        ]),
      );
    });

  deliveries
    .command("retry")
    .description("send again what was refused or given up")
    .argument("<key>")
    .option("--json", "for programs: {delivery, pending}")
    .addHelpText("after", "\nExample:\n  $ rollcall deliveries retry allegro:allegro-mm8ws3v4:opened-1:team")
    .action(async (key: string, { json, ...where }: Common & { json?: true }) => {
      await operationsOf(where).retryDelivery(key);
      sayDone(json, { delivery: key, pending: true }, `in line again: ${key}`);
    });
  return deliveries;
}
