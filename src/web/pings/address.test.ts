import { describe, expect, it } from "vitest";
import { readAddress } from "./address.ts";

const uuid = "5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278";
const rid = "1d2f3a44-0000-4000-8000-00000000000a";

describe("the address of a ping", () => {
  const table: readonly [string, string, object][] = [
    ["a bare UUID is a success", `/ping/${uuid}`, { to: { uuid }, kind: "success", create: false }],
    ["with a slash at the end too", `/ping/${uuid}/`, { to: { uuid }, kind: "success", create: false }],
    ["start", `/ping/${uuid}/start`, { to: { uuid }, kind: "start", create: false }],
    ["fail", `/ping/${uuid}/fail`, { to: { uuid }, kind: "fail", create: false }],
    ["log", `/ping/${uuid}/log`, { to: { uuid }, kind: "log", create: false }],
    [
      "exit code 0 is a success",
      `/ping/${uuid}/0`,
      { to: { uuid }, kind: "success", exitCode: 0, create: false },
    ],
    [
      "any other is a failure",
      `/ping/${uuid}/255`,
      { to: { uuid }, kind: "fail", exitCode: 255, create: false },
    ],
    ["over 255 is none", `/ping/${uuid}/256`, { problem: "invalid url format" }],
    ["another word is nothing", `/ping/${uuid}/stop`, { problem: "not found" }],
    ["a slash after a word is nothing", `/ping/${uuid}/start/`, { problem: "not found" }],
    [
      "a key and a slug",
      "/ping/abc/db-backup",
      { to: { key: "abc", slug: "db-backup" }, kind: "success", create: false },
    ],
    [
      "with a word",
      "/ping/abc/db_1/start",
      { to: { key: "abc", slug: "db_1" }, kind: "start", create: false },
    ],
    [
      "with an exit code",
      "/ping/abc/db/3",
      { to: { key: "abc", slug: "db" }, kind: "fail", exitCode: 3, create: false },
    ],
    ["an upper-case slug is none", "/ping/abc/Db", { problem: "invalid url format" }],
    ["a slug is not a path", "/ping/abc/..%2f..", { problem: "not found" }],
    [
      "create is 1 exactly",
      "/ping/abc/db?create=1",
      { to: { key: "abc", slug: "db" }, kind: "success", create: true },
    ],
    [
      "and nothing else",
      "/ping/abc/db?create=true",
      { to: { key: "abc", slug: "db" }, kind: "success", create: false },
    ],
    [
      "a run id",
      `/ping/${uuid}?rid=${rid.toUpperCase()}`,
      { to: { uuid }, kind: "success", create: false, rid },
    ],
    ["nothing at all", "/ping/", { problem: "not found" }],
    ["a key alone", "/ping/abc", { problem: "not found" }],
  ];
  it.each(table)("%s", (_, url, expected) => {
    expect(readAddress(url)).toEqual(expected);
  });
});
