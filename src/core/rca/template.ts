import { nearest } from "../nearest.ts";

/** What a template may ask for. */
export const PLACEHOLDERS = [
  "agent",
  "failure",
  "detected",
  "expected",
  "actual",
  "evidence",
  "resources",
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** The root-cause issue as it is filed unless a team has a form of its own. */
export const DEFAULT_TEMPLATE = `# Root-cause analysis: {{agent}}

- **Detected**: {{detected}}
- **Agent**: {{agent}}
- **Failure type**: {{failure}}
- **Origin**: auto-generated

## Expected Behavior

{{expected}}

## Actual Behavior

{{actual}}

{{evidence}}

## Root Cause Analysis Required

### 1. What happened?

- [ ] Last successful operation
- [ ] Error logs
- [ ] System state

### 2. Why did it happen?

- [ ] Configuration drift
- [ ] Resource exhaustion
- [ ] External dependencies
- [ ] Code regression

### 3. How can it be prevented?

- [ ] Monitoring
- [ ] Automated recovery
- [ ] Alert tuning

### 4. Recovery steps

- [ ] Actions taken
- [ ] Current status
- [ ] Validation

## Timeline

- [x] **T+0**: issue created ({{detected}})
- [ ] **T+1h**: first response of the owner
- [ ] **T+24h**: root cause submitted
- [ ] **T+7d**: resolution verified

## Related Resources

{{resources}}

## Checklist for Resolution

- [ ] Root cause identified and documented
- [ ] Fix applied
- [ ] Agent healthy again
- [ ] New tick submitted, if it was missing
- [ ] Monitoring improved
- [ ] Closed with a summary

---

_Filed by Rollcall, which found the failure and collected what stands above._
`;

const PLACEHOLDER = /\{\{([^{}\n]*)\}\}/g;

/** What is wrong with a template, or undefined. */
export function templateProblem(template: string): string | undefined {
  for (const [written, name = ""] of template.matchAll(PLACEHOLDER)) {
    if (isPlaceholder(name.trim())) continue;
    const line = template.slice(0, template.indexOf(written)).split("\n").length;
    const near = nearest(name.trim(), PLACEHOLDERS);
    const known = PLACEHOLDERS.map((each) => `{{${each}}}`).join(", ");
    return `line ${line}: there is no placeholder ${written}; ${near === undefined ? `expected one of ${known}` : `did you mean {{${near}}}?`}`;
  }
  return undefined;
}

/** Fills in a template, in one pass: what a value contains is never taken for a placeholder. */
export function fillIn(template: string, values: Readonly<Record<Placeholder, string>>): string {
  return template
    .replace(PLACEHOLDER, (written, name: string) => {
      const key = name.trim();
      return isPlaceholder(key) ? values[key] : written;
    })
    .replace(/\n{3,}/g, "\n\n");
}

function isPlaceholder(name: string): name is Placeholder {
  return (PLACEHOLDERS as readonly string[]).includes(name);
}
