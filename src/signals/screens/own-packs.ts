import aider from "./packs/aider.yaml";
import claudeCode from "./packs/claude-code.yaml";
import codex from "./packs/codex.yaml";
import geminiCli from "./packs/gemini-cli.yaml";
import generic from "./packs/generic.yaml";
import opencode from "./packs/opencode.yaml";
import qwenCode from "./packs/qwen-code.yaml";

/** The packs that come with the product, as they are written. */
export const OWN_PACKS: Readonly<Record<string, unknown>> = {
  claudeCode,
  codex,
  qwenCode,
  geminiCli,
  opencode,
  aider,
  generic,
};
