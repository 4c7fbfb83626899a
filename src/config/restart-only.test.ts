import { expect, it } from "vitest";
import { type Config, defaultConfig } from "./load.ts";
import { needingRestart } from "./restart-only.ts";

const at = (listen: string): Config => ({ ...defaultConfig(), listen });

it.each([
  ["127.0.0.1:7801", []],
  [":7801", []],
  ["127.0.0.1:7802", [expect.stringContaining("--listen 127.0.0.1:7802")]],
])(
  "started at 127.0.0.1:7801, a config with listen %s needs a restart only if it differs",
  (listen, said) => {
    const given = { listen: "127.0.0.1:7801", by: "ROLLCALL_LISTEN" } as const;
    expect(needingRestart(at("127.0.0.1:7766"), at(listen), given)).toEqual(said);
  },
);
