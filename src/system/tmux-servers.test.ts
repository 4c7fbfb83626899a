import { expect, it } from "vitest";
import { tmuxCommand } from "./tmux-servers.ts";

it("a person reaches a server by its path, because a name means another server where TMUX_TMPDIR differs", () => {
  const user = process.getuid?.();
  expect(tmuxCommand({}, {})).toBe("tmux");
  expect(tmuxCommand({ socket: "default" }, {})).toBe("tmux");
  expect(tmuxCommand({}, { TMUX_TMPDIR: "/run/t" })).toBe(`tmux -S /run/t/tmux-${user}/default`);
  expect(tmuxCommand({ socket: "u1" }, {})).toBe(`tmux -S /tmp/tmux-${user}/u1`);
  expect(tmuxCommand({ socketPath: "/srv/my tmux" }, {})).toBe("tmux -S '/srv/my tmux'");
});
