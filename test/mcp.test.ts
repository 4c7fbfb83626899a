import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentOf, cli, daemon, http, rollcall, temporaryHome, until } from "./product.ts";

/** The official client, talking to `rollcall mcp` as an agent's harness would. */
async function client(home: string, ...flags: string[]): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [rollcall, "mcp", ...flags],
    env: { ...(process.env as Record<string, string>), ROLLCALL_HOME: home },
  });
  const connected = new Client({ name: "test", version: "1.0.0" });
  await connected.connect(transport);
  onTestFinished(() => connected.close());
  return connected;
}

/** Calls a tool; what it says, as JSON where it is. */
async function call(from: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = (await from.callTool({ name, arguments: args })) as {
    content: { text: string }[];
    isError?: boolean;
  };
  const text = content[0]?.text ?? "";
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into what it expects.
  const json: any = text.startsWith("{") ? JSON.parse(text) : undefined;
  return { failed: isError === true, text, json };
}

const READING = ["agent", "hosts", "incidents", "roll"];

describe("rollcall mcp", () => {
  it("only reads, unless writing is allowed", async () => {
    const home = temporaryHome();
    const reader = await client(home);
    const { tools } = await reader.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(READING);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    await expect(
      call(reader, "beat", { agent: "allegro" }).then(({ failed }) => failed || "called"),
    ).rejects.toThrow();
    expect((await call(reader, "roll")).json).toMatchObject({ watching: false, agents: [] });
  });

  it("A8: calls the roll, tells of one agent, beats, notes, works and acknowledges", async () => {
    const home = temporaryHome();
    const { url } = await daemon(home);
    const writer = await client(home, "--allow-write");
    const { tools } = await writer.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [...READING, "acknowledge", "beat", "finish_work", "note", "start_work"].sort(),
    );
    const nasty = "\u001b[2Jno\u0007disk";
    expect(
      (await call(writer, "beat", { agent: "allegro", status: "error", message: nasty })).json,
    ).toHaveProperty("id");
    await until(
      () => agentOf(url, "allegro"),
      (agent) => agent?.state === "failing",
    );
    const { agents } = (await call(writer, "roll")).json;
    expect(agents[0]).toMatchObject({ id: "allegro", state: "failing" });
    const one = await call(writer, "agent", { agent: "allegro" });
    expect(one.json).toMatchObject({
      state: "failing",
      message: expect.not.stringMatching(/\p{Cc}/u),
      row: 5,
    });
    expect(one.json).not.toHaveProperty("pingUuid");
    expect(one.json.evidence.length).toBeGreaterThan(0);

    const { incidents } = (await call(writer, "incidents")).json;
    expect(incidents).toMatchObject([{ subject: "allegro", acknowledged: null }]);
    await call(writer, "acknowledge", { incident: incidents[0].id, by: "Ann" });
    expect((await call(writer, "incidents")).json.incidents).toMatchObject([{ acknowledged: { by: "Ann" } }]);

    const { agents: elsewhere } = (await call(writer, "roll", { host: "elsewhere" })).json;
    expect(elsewhere).toEqual([]);
    expect((await call(writer, "incidents", { host: "elsewhere" })).json.incidents).toEqual([]);
    expect(await call(writer, "hosts")).toMatchObject({
      failed: true,
      text: expect.stringContaining("not a hub"),
    });

    const work = (await call(writer, "start_work", { agent: "allegro", what: "dig" })).json;
    expect((await cli(home, "work", "list")).stdout).toContain("dig");
    await call(writer, "finish_work", { id: work.id });
    expect((await cli(home, "work", "list")).stdout).not.toContain("dig");
    expect((await call(writer, "note", { agent: "allegro", key: "step", value: "2" })).json).toEqual({
      noted: "step",
    });

    expect(await call(writer, "agent", { agent: "nobody" })).toMatchObject({
      failed: true,
      text: 'there is no agent "nobody"',
    });
    expect(await call(writer, "finish_work", { id: "none" })).toMatchObject({ failed: true });
    expect((await http(`${url}/healthz`)).status).toBe(200);
  });
});
