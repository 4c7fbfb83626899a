// Runs many commands of the built command line in one process: each line of the input is a list of words, each line of the
// output what that command printed and its exit code. A process for each would take minutes, because each loads everything again.
import { createInterface } from "node:readline";

const print = process.stdout.write.bind(process.stdout);
let said = "";
process.stdout.write = (text) => {
  said += text;
  return true;
};
process.stdout.setMaxListeners(0);
process.exit = (code) => {
  process.exitCode = code;
};

let turn = 0;
for await (const line of createInterface({ input: process.stdin })) {
  said = "";
  process.exitCode = 0;
  turn += 1;
  const words = JSON.parse(line);
  process.argv.splice(2, process.argv.length, ...words);
  // `beat` has a bundle of its own, as in bin/rollcall.js. Another address is another module, which runs anew.
  await import(
    new URL(`../../dist/${words[0] === "beat" ? "beat" : "cli"}.js?${turn}`, import.meta.url).href
  );
  print(`${JSON.stringify({ said, status: process.exitCode })}\n`);
}
