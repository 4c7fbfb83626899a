import { parseListen } from "../../config/listen.ts";
import { loadConfig } from "../../config/load.ts";
import { ConfigError } from "../../config/problems.ts";
import type { Check } from "../check.ts";

export const configCheck: Check = {
  name: "config",
  looksAt: "the config file is valid; each of its problems is a finding",
  worst: "error",
  async run({ home, configFile, command }) {
    try {
      const { file, listen } = await loadConfig(home.path, configFile);
      if (file === undefined) return [{ level: "ok", says: "no config file, and none is needed" }];
      parseListen(listen, file);
      return [{ level: "ok", says: `${file} is valid` }];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const named = configFile === undefined ? "" : ` --config ${configFile}`;
      const todo = `Correct it, then see whether all is well: ${command("config check")}${named}`;
      return error.message.split("\n").map((says) => ({ level: "error", says, todo }));
    }
  },
};
