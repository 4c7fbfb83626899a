import { expect, it } from "vitest";
import { temporaryHome } from "../../../../test/product.ts";
import type { Delivery } from "../../../core/delivery/delivery.ts";
import { DAY, HOUR, MINUTE } from "../../../core/duration.ts";
import { homeAt } from "../../../home/home.ts";
import { openSqlite } from "../../../store/sqlite/index.ts";
import { type CheckContext, ok } from "../check.ts";
import { deliveriesCheck } from "./deliveries.ts";

const NOW = Date.parse("2026-05-04T12:00Z");

const made = (key: string, more: Partial<Delivery>): Delivery => ({
  ...{ key, to: "team", about: "bot", createdAt: NOW, dueAt: NOW, state: "sent", attempts: 1 },
  message: { title: "t", text: "x" } as unknown as Delivery["message"],
  ...more,
});

async function found(...deliveries: readonly Delivery[]) {
  const home = homeAt(temporaryHome());
  const store = await openSqlite(home.database);
  await store.commit({ deliveries });
  await store.close();
  const context = { home, now: () => NOW, command: (words: string) => `rollcall ${words}` };
  return deliveriesCheck.run(context as unknown as CheckContext);
}

it("is content while everything goes out, or has not waited for long", async () => {
  expect(await found(made("a", {}), made("b", { state: "pending", createdAt: NOW - 10 * MINUTE }))).toEqual([
    ok("no channel fails; 1 message is waiting"),
  ]);
});

it("tells of a channel that fails at once, also behind thousands of newer messages", async () => {
  const many = Array.from({ length: 1100 }, (_, n) => made(`s${n}`, { to: "mail" }));
  const tried = { state: "pending", attempts: 22, createdAt: NOW - 14 * MINUTE } as const;
  const said = await found(made("a", { ...tried, problem: "connection refused" }), ...many);
  expect(said.map(({ level, says }) => [level, says])).toEqual([
    [
      "warning",
      "channel team fails: 1 message not delivered, the oldest for 14 min; 22 attempts failed, the last one: connection refused",
    ],
  ]);
  expect(said[0]?.todo).toContain("rollcall channels test team");
});

it("tells what was lost within a day and what waits for over an hour, by place, with the newest reason", async () => {
  const said = await found(
    made("a", {
      state: "refused",
      createdAt: NOW - 3 * HOUR,
      endedAt: NOW - 2 * HOUR,
      problem: "404 no such chat",
    }),
    made("b", {
      state: "expired",
      createdAt: NOW - 2 * HOUR,
      endedAt: NOW - HOUR,
      problem: "no answer in 72 h",
    }),
    made("c", { state: "refused", createdAt: NOW - 3 * DAY, endedAt: NOW - 2 * DAY, problem: "long ago" }),
    made("d", { to: "mail", state: "pending", createdAt: NOW - 2 * HOUR, problem: "connection refused" }),
  );
  expect(said.map(({ level, says }) => [level, says])).toEqual([
    ["warning", "2 messages to team not delivered (the newest 2 h ago: no answer in 72 h)"],
    ["warning", "1 message to mail not delivered yet (the newest 2 h ago: connection refused)"],
  ]);
  expect(said[0]?.todo).toContain("rollcall deliveries list");
});
