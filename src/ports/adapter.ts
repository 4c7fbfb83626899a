import type * as z from "zod";

/** What each adapter folder exports and its registry lists: the config's word for it, its settings, and how to open it. */
export interface Adapter<Kind extends string, Settings extends z.ZodType, Deps, Opened> {
  readonly kind: Kind;
  readonly settings: Settings;
  open(settings: z.output<Settings>, deps: Deps): Opened;
}

type SettingsOf<All extends readonly { readonly settings: z.ZodType }[]> = {
  [At in keyof All]: All[At]["settings"];
};

/** The settings of each adapter of a registry, in its order. */
export function settingsOf<All extends readonly { readonly settings: z.ZodType }[]>(
  all: All,
): SettingsOf<All> {
  return all.map(({ settings }) => settings) as unknown as SettingsOf<All>;
}

type ByKind<All extends readonly { readonly kind: string; readonly settings: z.ZodType }[]> = {
  [One in All[number] as One["kind"]]: z.ZodOptional<One["settings"]>;
};

/** The settings of each adapter of a registry under its kind, where the config writes `<kind>: {…}`. */
export function shapeOf<All extends readonly { readonly kind: string; readonly settings: z.ZodType }[]>(
  all: All,
): ByKind<All> {
  return Object.fromEntries(all.map(({ kind, settings }) => [kind, settings.optional()])) as ByKind<All>;
}

/** The words of a list for a sentence: `a, b or c`. */
export function wordsOf(words: readonly string[], last = "or"): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
