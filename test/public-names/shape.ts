// The names in a JSON Schema, and the names in a JSON value: `agents[].id`, `channels.*{kind=slack}.urlEnv`, `status = ok`.

type Schema = { readonly [key: string]: unknown };

/** Every key that a schema knows, and every word that it takes or gives. `document` is where its references lead. */
export function namesInSchema(
  schema: unknown,
  at: string,
  document: unknown,
  within: readonly string[] = [],
): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { $ref, properties, items, prefixItems, additionalProperties, anyOf, oneOf, allOf, ...own } =
    schema as Schema;
  const into = (inner: unknown, path: string) => namesInSchema(inner, path, document, within);
  const words = [own.const, own.enum].flat().filter((word) => word !== undefined && word !== null);
  const names = words.map((word) => `${at} = ${word}`.trim());
  if (typeof $ref === "string" && !within.includes($ref))
    names.push(...namesInSchema(targetOf($ref, document), at, document, [...within, $ref]));
  for (const [key, inner] of Object.entries((properties ?? {}) as Schema)) {
    const path = at === "" ? key : `${at}.${key}`;
    names.push(path, ...into(inner, path));
  }
  for (const inner of [items, prefixItems].flat()) names.push(...into(inner, `${at}[]`));
  names.push(...into(additionalProperties, `${at}.*`));
  for (const inner of [anyOf, oneOf, allOf].flat()) names.push(...into(inner, `${at}${kindOf(inner)}`));
  return names;
}

function targetOf(reference: string, document: unknown): unknown {
  const keys = reference.replace(/^#\//, "").split("/");
  return keys.reduce<unknown>((value, key) => (value as Schema | undefined)?.[key], document);
}

/** What tells one of several shapes from the others: the same key may be of one and not of another. */
function kindOf(schema: unknown): string {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, Schema> };
  const [key, { const: word } = {}] =
    Object.entries(properties).find(([, { const: word }]) => typeof word === "string") ?? [];
  return key === undefined ? "" : `{${key}=${word}}`;
}

/** Every key in a value. A key that is a name of the test's own stands for any. */
export function namesIn(value: unknown, at: string, own: RegExp): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => namesIn(each, `${at}[]`, own));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = `${at === "" ? "" : `${at}.`}${own.test(key) ? "*" : key}`;
    return [path, ...namesIn(inner, path, own)];
  });
}
