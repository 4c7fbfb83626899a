const GONE = "[redacted]";

/**
 * What may stand for a value after `name=`: quoted, or up to a space: a password may contain any sign. What has gone
 * already is none, so that what follows it is not taken for its rest.
 */
const VALUE = `(?!\\[redacted\\])(?:"(?:[^"\\\\\\n]|\\\\.){1,4000}"|'[^'\\n]{1,4000}'|[^\\s"'&]{1,4000})`;

/** Words that make a name a secret's name, in any of its spellings: `DB_PASSWORD`, `api-key`, `accessToken`. */
const NAME =
  "(?:pass(?:word|wd|phrase|code)|passwd|pwd|secret|token|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|signing[-_ ]?key|encryption[-_ ]?key|credentials?|auth[-_ ]?key|session[-_ ]?(?:id|key)|webhook[-_ ]?url|connection[-_ ]?string|dsn)";

/** Each rule replaces what it finds. All of them run in linear time: agents write what they like. */
const RULES: readonly (readonly [RegExp, string])[] = [
  // A private key, also one whose end was cut off.
  [
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,20}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,60}-----|$)/g,
    GONE,
  ],
  [/\bAGE-SECRET-KEY-1[0-9A-Z]{20,}/g, GONE],
  // Headers that carry a secret to the end of their line.
  [/\b((?:proxy-)?authorization["']?\s{0,5}[:=]\s{0,5})[^\r\n]{1,8000}/gi, `$1${GONE}`],
  [/\b((?:set-)?cookie["']?\s{0,5}:\s{0,5})[^\r\n]{1,8000}/gi, `$1${GONE}`],
  [/\b(x-[a-z-]{0,30}(?:token|key|auth|secret)["']?\s{0,5}:\s{0,5})[^\r\n]{1,8000}/gi, `$1${GONE}`],
  [/\b(bearer|basic)(\s{1,5})[A-Za-z0-9._~+/=-]{8,}/gi, `$1$2${GONE}`],
  // An address with a user or a password in it.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@"'<>]{1,1000}@/gi, `$1${GONE}@`],
  // Addresses that are secrets themselves.
  [/(hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9/_-]{8,}/gi, `$1${GONE}`],
  [/(discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/)[A-Za-z0-9/_-]{8,}/gi, `$1${GONE}`],
  // Tokens that can be told by their form.
  [/\b(?:gh[oprsu]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|gl[a-z]{2,6}-[A-Za-z0-9_-]{16,})/g, GONE],
  [/\bxox[a-z]-[A-Za-z0-9-]{8,}|\bxapp-[A-Za-z0-9-]{8,}/g, GONE],
  [/\b(?:sk|pk|rk)[-_](?:[a-z]{2,10}[-_]){0,3}[A-Za-z0-9_-]{16,}/g, GONE],
  [/\b(?:AKIA|ASIA|AROA|ABIA)[A-Z0-9]{12,}\b/g, GONE],
  [/\bAIza[A-Za-z0-9_-]{30,}/g, GONE],
  [/\bya29\.[A-Za-z0-9_-]{16,}/g, GONE],
  [/\b(?:npm_|hf_|dop_v1_|shpat_|pypi-|tskey-|figd_)[A-Za-z0-9_-]{16,}/g, GONE],
  [/\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g, GONE],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, GONE],
  [/\b\d{6,12}:[A-Za-z0-9_-]{30,}/g, GONE],
  // Whatever is called a secret: `name=value`, `"name": "value"`, `--name value`, `name: value`.
  [
    new RegExp(
      `((?:[A-Za-z0-9_.-]{0,60}?)${NAME}[A-Za-z0-9_-]{0,20}["']?\\s{0,5}(?:=>|:=|=(?!>)|:(?!=))\\s{0,5})${VALUE}`,
      "gi",
    ),
    `$1${GONE}`,
  ],
  [new RegExp(`(--?[A-Za-z0-9-]{0,30}${NAME}\\s{1,5})(?!-)${VALUE}`, "gi"), `$1${GONE}`],
];

/**
 * A text without its secrets, as far as they can be told by their form or their name; and without those that are
 * known. It is generous: a harmless word that goes is better than a key that stays.
 */
export function redact(text: string, known: readonly string[] = []): string {
  let clean = text;
  for (const secret of known) if (secret.length >= 4) clean = clean.replaceAll(secret, GONE);
  for (const [pattern, by] of RULES) clean = clean.replace(pattern, by);
  return clean;
}
