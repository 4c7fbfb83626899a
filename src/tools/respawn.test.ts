import { expect, test } from "vitest";
import { parseConfig } from "../config/load.ts";
import { hasTmux, tmuxServer } from "../recoveries/kit/recovery.fixture.ts";
import { unkeptPanes } from "./respawn.ts";

test.skipIf(!hasTmux)(
  `a pane that is to be respawned must stay${hasTmux ? "" : " (skipped: no tmux)"}`,
  async () => {
    const { socketPath, tmux, open } = tmuxServer();
    open("exec sleep 600");
    const respawn = "recover: [{ do: restart, with: { respawn: true } }]";
    const config = await parseConfig(
      `agents:
  - { id: bot, tmux: { session: work, socketPath: ${socketPath} }, ${respawn} }
  - { id: left, tmux: { session: work, socketPath: ${socketPath} } }
  - { id: none, tmux: { session: none, socketPath: ${socketPath} }, ${respawn} }
  - { id: blind, ${respawn} }
`,
      "rollcall.yaml",
    );
    expect(await unkeptPanes(config, config.agents)).toEqual([]);
    tmux("set", "-g", "remain-on-exit", "off");
    const [found, ...others] = await unkeptPanes(config, config.agents);
    expect(found?.says).toMatch(/^Rollcall cannot respawn bot .* remain-on-exit is off/);
    expect(others).toEqual([]);
    tmux(...(found?.command.split(" ").slice(3) ?? []));
    expect(await unkeptPanes(config, config.agents)).toEqual([]);
  },
);
