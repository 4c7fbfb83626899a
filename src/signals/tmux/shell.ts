const SHELLS = new Set([
  "sh",
  "ash",
  "bash",
  "dash",
  "fish",
  "ksh",
  "mksh",
  "tcsh",
  "csh",
  "zsh",
  "nu",
  "pwsh",
]);

/** A shell that reads commands from its terminal: it runs no script and no `-c`. */
export function isIdleShell([program = "", ...args]: readonly string[]): boolean {
  // A login shell's name begins with a hyphen.
  const name = program.slice(program.lastIndexOf("/") + 1).replace(/^-/, "");
  if (!SHELLS.has(name)) return false;
  return args.every((arg) => arg.startsWith("-") && !/^-[a-zA-Z]*c/.test(arg));
}
