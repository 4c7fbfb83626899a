const SHELLS = new Set("sh ash bash dash fish ksh mksh tcsh csh zsh nu pwsh".split(" "));

/** Options that take the next argument. */
const WITH_VALUE = new Set(["--rcfile", "--init-file", "-o", "+o", "-O", "+O"]);

/** The name of a program, without its folder and the hyphen of a login shell. */
export function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).replace(/^-/, "");
}

export function isShell(program: string): boolean {
  return SHELLS.has(nameOf(program));
}

/** A shell that reads commands from its terminal: it runs no script and no `-c`. */
export function isIdleShell([program = "", ...args]: readonly string[]): boolean {
  if (!isShell(program)) return false;
  const options = args.filter((_, i) => !WITH_VALUE.has(args[i - 1] ?? ""));
  return options.every((arg) => /^[-+]/.test(arg) && !/^-[a-zA-Z]*c/.test(arg));
}
