import { ConfigError } from "../../../config/config-error.ts";
import { loadConfig } from "../../../config/load.ts";
import { refuseUnstartable, warningsWithLines } from "../../check-config.ts";
import { type Check, type CheckFinding, fail, ok, warn } from "../check.ts";

export const configCheck: Check = {
  name: "config",
  looksAt:
    "the config file is valid, the watcher can start with it, and the secrets and files that it names exist",
  worst: "error",
  async run({ home, configFile, command }) {
    const named = configFile === undefined ? "" : ` --config ${configFile}`;
    const todo = `Correct it, then check it again: ${command("config check")}${named}`;
    try {
      const config = await loadConfig(home.path, configFile);
      const { file } = config;
      if (file === undefined) return [ok("there is no config file, and none is needed")];
      await refuseUnstartable(config, home);
      const warnings = await warningsWithLines(config, home);
      if (warnings.length === 0) return [ok(`${file} is valid`)];
      return warnings.map((says): CheckFinding => warn(says, todo));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.message.split("\n").map((says): CheckFinding => fail(says, todo));
    }
  },
};
