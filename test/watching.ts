// What tests of watched agents share: a config of quick rounds, waiting for a state, and a tmux server of their own.
import { spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { agentOf, cli, until } from "./product.ts";

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
/** Stands behind the name of what is skipped. */
export const whyNoTmux = hasTmux ? "" : " (skipped: there is no tmux here)";

export const config = (agents: string) => `listen: 127.0.0.1:0\nlivenessInterval: 200ms\nagents:\n${agents}`;

export const isIn = (url: string, id: string, state: string) =>
  until(
    () => agentOf(url, id),
    (agent) => agent?.state === state,
  );

/** Where it has been, newest first. */
export async function flipsOf(home: string, id: string): Promise<readonly string[]> {
  const { stdout } = await cli(home, "flips", id, "--json");
  return (JSON.parse(stdout) as { flips: { to: string }[] }).flips.map(({ to }) => to);
}

let servers = 0;

/** A tmux server of the test's own with one session, whose pane stays when its program ends. */
export function tmux(command: string) {
  servers += 1;
  const socket = `rollcall-test-${process.pid}-${servers}`;
  const run = (...args: string[]) =>
    spawnSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
  // In one go: a program that ends at once must not take its pane along before that is set to stay.
  const stays = [";", "set-option", "-t", "agent", "remain-on-exit", "on"];
  run("new-session", "-d", "-s", "agent", "-x", "120", "-y", "40", `exec sh -c '${command}'`, ...stays);
  onTestFinished(() => void run("kill-server"));
  return {
    socket,
    type: (...keys: string[]) => run("send-keys", "-t", "agent", ...keys),
    kill: () => run("kill-server"),
  };
}
