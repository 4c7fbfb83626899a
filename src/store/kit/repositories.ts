import type { Run } from "../../core/action/state.ts";
import type { Delivery } from "../../core/delivery/delivery.ts";
import type { Incident } from "../../core/incident/incident.ts";
import type { FiledIssue } from "../../core/rca/filed-issue.ts";
import type { Recovery } from "../../core/recovery/recovery.ts";
import type { CursorPage, RecordKind, RecordQuery, StoredRecord } from "../../ports/repositories.ts";
import type { Store } from "../../ports/store.ts";
import { decodeBody, decodeRecord } from "./decode.ts";
import type { AskedDatabase, ListOf, RecordRow, TableName } from "./protocol.ts";
import { toColumn } from "./text.ts";

type Filters = ListOf["filters"];
type Repositories = Pick<Store, "incidents" | "deliveries" | "recoveries" | "runs" | "issues" | "records">;

const MOST = 2 ** 31 - 1;

/** The tables that are read in pages. The names of the filters are those in `pages.ts`. */
export function repositoriesOf(database: AskedDatabase): Repositories {
  const rowsOf = (table: TableName, page: CursorPage, filters: Filters) =>
    database.ask("list", { table, ...positionOf(page), filters: [...since(page), ...filters] });
  const listOf = async <T>(table: TableName, page: CursorPage, filters: Filters) =>
    (await rowsOf(table, page, filters)).map(decodeBody<T>);
  const oneOf = async <T>(table: TableName, id: string): Promise<T | undefined> => {
    const row = await database.ask("one", { table, key: [toColumn(id)] });
    return row === null ? undefined : decodeBody<T>(row);
  };
  return {
    incidents: {
      page: ({ subject, state, kind, grouped, host, openSince, ...page }) =>
        listOf<Incident>("incidents", page, [
          ...equal("subject", subject),
          ...equal("kind", kind),
          ...named(state),
          ...named(grouped === true ? "grouped" : undefined),
          ...equal("host", host),
          ...(openSince === undefined ? [] : ([["openSince", openSince]] as const)),
        ]),
      one: (id) => oneOf("incidents", id),
    },
    deliveries: {
      page: ({ to, incident, state, ...page }) =>
        listOf<Delivery>("deliveries", page, [
          ...equal("to", to),
          ...equal("incident", incident),
          ...named(state),
        ]),
      one: (key) => oneOf("deliveries", key),
      underWay: () => database.ask("underWay", null),
    },
    recoveries: {
      page: ({ agent, ...page }) => listOf<Recovery>("recoveries", page, equal("agent", agent)),
      one: (id) => oneOf("recoveries", id),
    },
    runs: { page: ({ action, ...page }) => listOf<Run>("runs", page, equal("action", action)) },
    issues: {
      page: ({ month, state, ...page }) =>
        listOf<FiledIssue>("issues", page, [...equal("month", month), ...named(state)]),
      one: (key) => oneOf("issues", key),
    },
    records: {
      async page<K extends RecordKind>(kind: K, { about, current, ...page }: RecordQuery) {
        const rows = await rowsOf("records", page, [
          ...equal("kind", kind),
          ...equal("about", about),
          ...named(current === true ? "current" : undefined),
        ]);
        return rows.map((row) => decodeRecord(row as RecordRow)) as StoredRecord<K>[];
      },
      async one<K extends RecordKind>(kind: K, id: string) {
        const row = await database.ask("one", { table: "records", key: [kind, toColumn(id)] });
        return row === null ? undefined : (decodeRecord(row as RecordRow) as StoredRecord<K>);
      },
    },
  };
}

export function limitOf(limit: number): number {
  return Math.min(MOST, Math.max(0, Math.trunc(limit)));
}

function positionOf({ limit, after, before = Number.POSITIVE_INFINITY }: CursorPage) {
  // No id is smaller than the empty one.
  return { limit: limitOf(limit), before: after?.at ?? before, beforeId: toColumn(after?.id ?? "") };
}

function since({ since }: CursorPage): Filters {
  return since === undefined ? [] : [["since", since]];
}

function equal(filter: string, value: string | undefined): Filters {
  return value === undefined ? [] : [[filter, toColumn(value)]];
}

function named(filter: string | undefined): Filters {
  return filter === undefined ? [] : [[filter]];
}
