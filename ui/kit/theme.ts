import { Observable } from "./observable.ts";

export type Theme = "system" | "light" | "dark";
const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };
const KEY = "rollcall-theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

export const theme = new Observable<Theme>(stored());
/** What the page looks like now: what is drawn on a canvas must be drawn anew when it changes. */
export const shade = new Observable<"light" | "dark">("light");

theme.watch(apply);
prefersDark.addEventListener("change", () => apply(theme.value));
apply(theme.value);

export function nextTheme(): void {
  const next = NEXT[theme.value];
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  theme.set(next);
}

function stored(): Theme {
  try {
    const text = localStorage.getItem(KEY);
    return text === "light" || text === "dark" ? text : "system";
  } catch {
    return "system";
  }
}

function apply(value: Theme): void {
  if (value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
  shade.set(value === "system" ? (prefersDark.matches ? "dark" : "light") : value);
}
