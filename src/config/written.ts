import { formatDuration } from "../core/duration.ts";
import { writtenWay } from "../recoveries/kit/way.ts";

interface Schema {
  readonly def: {
    readonly type: string;
    readonly innerType?: Schema;
    readonly in?: Schema;
    readonly shape?: Readonly<Record<string, Schema>>;
    readonly element?: Schema;
    readonly items?: readonly Schema[];
    readonly rest?: Schema | null;
    readonly valueType?: Schema;
    readonly options?: readonly Schema[];
  };
  safeParse(value: unknown): { readonly success: boolean };
}

/** A checked value as a person would write it, so that it can be read again: durations as text, nothing undefined. */
export function written(schema: Schema, value: unknown): unknown {
  const { type, innerType, in: input, shape, element, items, rest, valueType, options } = schema.def;
  if (innerType !== undefined) return value === undefined ? undefined : written(innerType, value);
  if (input !== undefined)
    return input.def.type === "string" && typeof value === "number"
      ? formatDuration(value)
      : written(input, value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null)
    return type === "union" ? firstThatReads(options ?? [], value) : value;
  if (options !== undefined) return firstThatReads(options, value);
  if (Array.isArray(value)) {
    const of = (index: number) => items?.[index] ?? rest ?? element;
    return value.map((each, index) => {
      const inner = of(index);
      return inner === undefined ? each : written(inner, each);
    });
  }
  const entries = Object.entries(value).flatMap(([key, each]) => {
    const inner = shape?.[key] ?? valueType;
    const text = inner === undefined ? each : written(inner, isBy(each) ? writtenWay(each) : each);
    return text === undefined ? [] : [[key, text] as const];
  });
  return Object.fromEntries(entries);
}

/** A step of a ladder is kept in another form than it is written. */
function isBy(value: unknown): value is Parameters<typeof writtenWay>[0] {
  return typeof value === "object" && value !== null && "by" in value;
}

function firstThatReads(options: readonly Schema[], value: unknown): unknown {
  for (const option of options) {
    const text = written(option, value);
    if (option.safeParse(text).success) return text;
  }
  return value;
}
