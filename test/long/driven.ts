import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FakeModel } from "../../eval/record/fake-model.ts";

// The real clients, from npm, against a model on loopback. `ROLLCALL_CLIENTS` names a folder with one folder for each package
// (claude-code, codex, qwen-code), each after `npm install <package>` in it.

export const CLIENTS = process.env.ROLLCALL_CLIENTS ?? "/nowhere";

interface Driven {
  readonly folder: string;
  readonly program: string;
  /** Writes the client's own settings, and says what it needs in its environment. */
  prepare(home: string, work: string, model: FakeModel): Record<string, string>;
  /** What must be typed before it takes a prompt. */
  readonly first?: readonly (readonly string[])[];
}

export const DRIVEN: Readonly<Record<string, Driven>> = {
  "claude-code": {
    folder: "claude-code",
    program: "claude",
    prepare(home, work, { url }) {
      const key = "x".repeat(20);
      const known = {
        ...{ hasCompletedOnboarding: true, theme: "dark" },
        customApiKeyResponses: { approved: [key], rejected: [] },
        projects: { [work]: { hasTrustDialogAccepted: true } },
      };
      writeFileSync(join(home, ".claude.json"), JSON.stringify(known));
      return {
        ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key },
        ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
      };
    },
  },
  codex: {
    folder: "codex",
    program: "codex",
    prepare(home, work, { url }) {
      mkdirSync(join(home, ".codex"), { recursive: true });
      const lines = [
        ...['model = "gpt-5.1-codex"', 'model_provider = "fake"'],
        ...['approval_policy = "on-request"', 'sandbox_mode = "read-only"'],
        ...["[model_providers.fake]", 'name = "fake"', `base_url = "${url}/v1"`],
        ...[
          'wire_api = "responses"',
          'env_key = "FAKE_KEY"',
          `[projects."${work}"]`,
          'trust_level = "trusted"',
        ],
      ];
      writeFileSync(join(home, ".codex", "config.toml"), `${lines.join("\n")}\n`);
      return { FAKE_KEY: "x" };
    },
    first: [["2", "Enter"]],
  },
  "qwen-code": {
    folder: "qwen-code",
    program: "qwen",
    prepare(home, _work, { url }) {
      mkdirSync(join(home, ".qwen"), { recursive: true });
      const settings = { security: { auth: { selectedType: "openai" } }, model: { name: "fake" } };
      writeFileSync(join(home, ".qwen", "settings.json"), JSON.stringify(settings));
      return { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "fake" };
    },
  },
};
