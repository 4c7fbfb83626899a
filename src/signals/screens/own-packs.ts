import aider from "./packs/aider.yaml";
import claudeCode from "./packs/claude-code.yaml";
import cline from "./packs/cline.yaml";
import codex from "./packs/codex.yaml";
import continueCli from "./packs/continue.yaml";
import copilot from "./packs/copilot.yaml";
import geminiCli from "./packs/gemini-cli.yaml";
import generic from "./packs/generic.yaml";
import grok from "./packs/grok.yaml";
import kimi from "./packs/kimi.yaml";
import nanocoder from "./packs/nanocoder.yaml";
import opencode from "./packs/opencode.yaml";
import pi from "./packs/pi.yaml";
import qwenCode from "./packs/qwen-code.yaml";

/** The packs that come with the product, as they are written. */
export const OWN_PACKS: Readonly<Record<string, unknown>> = {
  ...{ claudeCode, codex, qwenCode, geminiCli, opencode, aider },
  ...{ copilot, cline, continueCli, grok, kimi, nanocoder, pi },
  generic,
};
