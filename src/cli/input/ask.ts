import { createInterface } from "node:readline/promises";

/** Whether a person can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** Asks on the terminal. The end of the input is no answer. */
export async function askText(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<string>((done) => terminal.once("close", () => done("")));
  try {
    return (await Promise.race([terminal.question(`${question} `), ended])).trim();
  } finally {
    terminal.close();
  }
}

/** A question with yes or no; Enter takes what stands first in capitals. */
export async function askYesNo(question: string, usual: boolean): Promise<boolean> {
  const said = await askText(`${question} ${usual ? "[Y/n]" : "[y/N]"}`);
  return said === "" ? usual : /^y(?:es)?$/i.test(said);
}
