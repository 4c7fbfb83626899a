import type { ConfigError } from "./config-error.ts";

/** One mistake in a config, for programs. */
export interface ConfigMistake {
  readonly file: string;
  readonly line: number | null;
  /** The key, such as `agents[0].every`. */
  readonly path: string | null;
  readonly message: string;
}

const PARTS = /^(?::(\d+): )?(?:([A-Za-z][\w-]*(?:\[\d+\]|\.[^\s:[\]]+)*): )?(.*)$/s;

/** The mistakes that an error tells as sentences: `:3: agents[0].every: expected …`. */
export function mistakesOf({ file, problems }: Pick<ConfigError, "file" | "problems">): ConfigMistake[] {
  return problems.map((problem) => {
    const [, line, path, message = problem] = PARTS.exec(problem) ?? [];
    return { file, line: line === undefined ? null : Number(line), path: path ?? null, message };
  });
}
