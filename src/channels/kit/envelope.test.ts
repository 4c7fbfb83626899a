import { expect, test } from "vitest";
import { dispatch, HOSTILE, ORDINARY } from "../../ports/channel.contract.ts";
import { envelope } from "./envelope.ts";

test("what is not given is not there", () => {
  const { message } = JSON.parse(
    envelope(dispatch({ message: { severity: "info", title: "t", lines: [] } })),
  );
  expect(message).toEqual({ severity: "info", title: "t", lines: [] });
});

test("lines are bounded in number and length, and commands are whole or not there", () => {
  const lines = Array.from({ length: 1000 }, () => "x".repeat(10_000));
  const { message } = JSON.parse(envelope(dispatch({ message: { ...ORDINARY, lines, commands: lines } })));
  expect(message.lines).toHaveLength(100);
  expect(message.lines[0]).toHaveLength(4000);
  expect(message.commands).toEqual([]);
});

test("no raw control character is in it, whatever the data holds", () => {
  const data = { screen: "\u001b[31mred\u0000" };
  const text = envelope(dispatch({ message: { ...HOSTILE, data } }));
  expect(text).not.toMatch(/[\u0000-\u001f]/);
  expect(JSON.parse(text).message.data).toEqual(data);
});
