import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sayProblem } from "../beat-input.ts";
import { readRegistry } from "./registry-input.ts";

const allegro = {
  id: "allegro",
  name: "Allegro",
  active: true,
  home_dir: "/home/allegro",
  config_path: "config.yaml",
};

describe("the registry", () => {
  it("D1: is read as it stands, with more fields than we know", () => {
    const read = readRegistry({
      version: 3,
      agents: [
        { ...allegro, owner: "ann" },
        { id: "timmy", active: false },
      ],
    });
    expect(read).toEqual({ entries: [{ agent: allegro }, { agent: { id: "timmy", active: false } }] });
  });

  it.each([
    ["nothing", null],
    ["a list", [allegro]],
    ["no agents", {}],
    ["agents by name", { agents: { allegro } }],
  ])("is no registry: %s", (_, value) => {
    const read = readRegistry(value);
    expect("problem" in read && sayProblem(read.problem)).toContain("agents: expected a list of agents, not");
  });

  it.each([
    [
      "a way out of the folder",
      { ...allegro, id: "../x" },
      "agents[1]",
      "agents[1].id: expected an agent id",
    ],
    [
      "an absolute path",
      { ...allegro, id: "/etc/passwd" },
      "agents[1]",
      "agents[1].id: expected an agent id",
    ],
    ["a folder", { ...allegro, id: "history/x" }, "agents[1]", "agents[1].id: expected an agent id"],
    ["a number", { ...allegro, id: 7 }, "agents[1]", "agents[1].id: expected an agent id"],
    ["no id", { active: true }, "agents[1]", "agents[1].id: expected an agent id"],
    ["no object", "adagio", "agents[1]", "agents[1]: expected an object such as"],
    ["an id for the second time", allegro, "agents[1]", "agents[1].id: expected an id that is used once"],
    ["no active", { id: "adagio" }, "adagio", "agents[1].active: expected true or false, not nothing"],
    [
      "active in words",
      { id: "adagio", active: "yes" },
      "adagio",
      'agents[1].active: expected true or false, not "yes"',
    ],
    [
      "a home that is no text",
      { id: "adagio", active: true, home_dir: 7 },
      "adagio",
      "agents[1].home_dir: expected text, not 7",
    ],
  ])("goes on after an entry with %s", (_, entry, called, sentence) => {
    const read = readRegistry({ agents: [allegro, entry, { id: "timmy", active: true }] });
    const [first, bad, last] = "entries" in read ? read.entries : [];
    expect(first).toEqual({ agent: allegro });
    expect(bad).toMatchObject({ called });
    expect(bad !== undefined && "problem" in bad && sayProblem(bad.problem)).toContain(sentence);
    expect(last).toEqual({ agent: { id: "timmy", active: true } });
  });

  it("never throws, whatever it is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ agents: fc.array(fc.anything()) })), (value) => {
        readRegistry(value);
      }),
    );
  });
});
