#!/usr/bin/env node
// A program that looks and behaves like a coding agent in a terminal: raw mode, an input box, a title, a busy line. One key
// says what it does next: w works, f finishes, a asks, l is at its limit, c crashes, 0 and 1 exit.
const HEAD =
  "╭─── Claude Code v2.1.197 ───────────────╮\n│ Welcome back!                          │\n╰────────────────────────────────────────╯";
const RULE = "─".repeat(60);
const SPINNER = ["·", "✢", "✳", "✶", "✻", "✽"];
let state = "f";
let step = 0;

function body() {
  const said = `❯ fix the failing test\n\n● Looked at file ${step} of the plan.\n`;
  if (state === "a")
    return `${said}\n● Bash(make deploy)\n\nDo you want to proceed?\n❯ 1. Yes\n  2. No\n\nEsc to cancel · Tab to amend\n`;
  const above = {
    w: `\n${SPINNER[step % SPINNER.length]} Pondering… (${step}s · ↓ ${step * 7} tokens)\n`,
    f: step === 0 ? "" : "\n✻ Crunched for 14s\n",
    l: "  ⎿  You've hit your session limit · resets 9:15pm (UTC)\n",
  }[state];
  const footer = state === "w" ? "  esc to interrupt · ← for agents" : "  ? for shortcuts · ← for agents";
  return `${said}${above}\n${RULE}\n❯ \u001b7\n${RULE}\n${footer}\u001b8`;
}

function draw() {
  const title = `\u001b]0;${state === "w" ? "⠂" : "✳"} Claude Code\u0007`;
  const cursor = state === "a" ? "\u001b[?25l" : "\u001b[?25h";
  process.stdout.write(`${title}${cursor}\u001b[H\u001b[2J${HEAD}\n\n${body()}`.replaceAll("\n", "\r\n"));
}

/** Leaves the terminal as a program should: below its last frame, cursor shown. */
function leave() {
  process.stdin.setRawMode(false);
  process.stdout.write("\u001b[?25h\u001b[99;1H\n");
}

process.stdin.setRawMode(true);
process.stdin.on("data", (keys) => {
  for (const key of String(keys)) {
    if (key === "0" || key === "1") {
      leave();
      process.exit(Number(key));
    }
    if (key === "c") {
      leave();
      throw new TypeError("cannot read properties of undefined (reading 'plan')");
    }
    if ("wfal".includes(key)) state = key;
  }
  draw();
});
setInterval(() => {
  if (state !== "w") return;
  step += 1;
  draw();
}, 250);
draw();
