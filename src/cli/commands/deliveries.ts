import { Command } from "commander";
import { operationsOf } from "../../service/connect.ts";
import { firstOf } from "../../service/page.ts";
import type { DeliveryView } from "../../views/show.ts";
import { countOf, examples } from "../input/arguments.ts";
import type { CommonOptions } from "../output/roll.ts";
import { sayDone, sayList, timeColumn } from "../output/terminal.ts";
import { sayHeld, sayState } from "../output/told.ts";

interface ListOptions extends CommonOptions {
  readonly open?: true;
  readonly to?: string;
  readonly limit: number;
}

export function deliveriesCommand(): Command {
  const deliveries = new Command("deliveries")
    .description("list the messages to channels and whether they arrived; send failed messages again")
    .addHelpText("after", examples("deliveries list --open"));

  deliveries
    .command("list")
    .description("list messages, newest first")
    .option("--open", "only messages that are still to be sent")
    .option("--to <channel>", "only messages to this channel")
    .option("--limit <n>", "how many to list", countOf, 50)
    .option("--json", "print JSON: {deliveries}")
    .addHelpText("after", examples("deliveries list --open"))
    .action(async ({ open, to, limit, json, ...where }: ListOptions) => {
      const operations = operationsOf(where);
      const found = await firstOf(limit, (wanted) => operations.deliveries({ to, open }, wanted));
      const now = Date.now();
      const none = open === true ? "No message is waiting." : "No message was ever sent.";
      const says = ({ message: { title }, problem, held }: DeliveryView) => {
        const more = held == null ? problem : sayHeld(held);
        return more === null ? title : `${title} — ${more}`;
      };
      sayList(json, { deliveries: found }, found, none, [
        timeColumn("CREATED", ({ createdAt }) => createdAt),
        { title: "TO", text: ({ to: place }) => place, most: 20 },
        { title: "STATE", text: (delivery) => sayState(delivery, now) },
        { title: "TRIES", text: ({ attempts }) => String(attempts), drop: 1 },
        { title: "KEY", text: ({ key }) => key, most: 60, cut: "middle" },
        { title: "SAYS", text: says },
      ]);
    });

  deliveries
    .command("retry")
    .description("send a message again after a channel refused it or Rollcall gave up on it")
    .argument("<key>", "the key of the message, as deliveries list shows it")
    .option("--json", "print JSON: {delivery, pending}")
    .addHelpText("after", examples("deliveries retry allegro:allegro-mm8ws3v4:opened-1:team"))
    .action(async (key: string, { json, ...where }: CommonOptions) => {
      await operationsOf(where).retryDelivery(key);
      sayDone(json, { delivery: key, pending: true }, `queued again: ${key}`);
    });
  return deliveries;
}
