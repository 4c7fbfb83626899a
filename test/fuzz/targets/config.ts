import { ConfigError } from "../../../src/config/config-error.ts";
import { agentsOf, parseConfig } from "../../../src/config/load.ts";
import { compilePack, PackError, parsePack } from "../../../src/signals/screens/packs.ts";
import { must, stateless, type Target } from "../target.ts";

/** The config file. */
export const config: Target = {
  name: "config",
  longest: 4096,
  examples: [
    "agents:\n  - id: allegro\n    every: 15m\n    grace: 5m\n",
    'listen: 127.0.0.1:7766\ndefaults: { every: 1h, grace: 5m }\npolicy: { hold: 30s, group: 10s }\nchannels:\n  chat: { kind: webhook, url: "https://example.org/hook", secretFile: ./secret }\nagents:\n  - { id: nightly, schedule: "0 3 * * *", zone: Europe/Berlin }\n',
    "agents:\n  - id: coder\n    tmux: { session: coder }\n    log: { path: /tmp/coder.log, plain: true }\n    process: { pidFile: /tmp/coder.pid }\n    recover:\n      - { do: restart, with: { command: ./again }, backoff: { first: 1s, longest: 1m } }\n",
    '{"agents":[{"id":"allegro","every":"15m"}],"heartbeat":{"interval":"30m"}}',
    "a: &a [x, x]\nb: &b [*a, *a]\nagents: *b\n",
  ],
  words: [
    ...["agents:", "- id: ", "every: ", "grace: ", "schedule: ", "zone: ", "tmux: ", "log: ", "process: "],
    ...["channels:", "kind: webhook", "url: ", "policy:", "defaults:", "recover:", "packs: ", "listen: "],
    ...[
      "&a ",
      "*a",
      "<<: *a",
      "!!binary ",
      "!!js/function ",
      "? ",
      "|\n",
      ">-\n",
      "---\n",
      "...\n",
      "#",
      "\t",
    ],
    ...["999999999999d", "-5m", "1e9h", "0s", "* * * * * *", "60 24 32 13 8", "0 0 30 2 *"],
  ],
  open: stateless(async (input) => {
    try {
      const read = await parseConfig(new TextDecoder().decode(input), "rollcall.yaml");
      agentsOf(read, 1_700_000_000_000);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      must(error.message.includes("rollcall.yaml"), "what is wrong in a config names the file");
    }
  }),
};

/** A user's pack of rules for screens. */
export const packs: Target = {
  name: "packs",
  longest: 4096,
  examples: [
    "name: mine\ndetect: ['My agent v\\d']\nrules:\n  - name: asks\n    says: waiting\n    in: bottom\n    match: 'Proceed\\?'\n    examples: ['Proceed?']\n",
    "name: mine\ndefine: { dots: '[.…]{3}' }\nrules:\n  - name: works\n    says: busy\n    match: ['Working%dots%', 'Thinking']\n    examples: ['Working...']\n    counter: ['Done']\n    quiet: 3\n",
  ],
  words: [
    "name: ",
    "detect: ",
    "rules:",
    "says: ",
    "match: ",
    "not: ",
    "also: ",
    "%dots%",
    "(",
    "[",
    "\\p{L}",
    "(?<a>",
    "{2,1}",
    "*+",
  ],
  open: stateless((input) => {
    try {
      compilePack(parsePack(new TextDecoder().decode(input), "mine.yaml"));
    } catch (error) {
      if (!(error instanceof PackError)) throw error;
    }
  }),
};
