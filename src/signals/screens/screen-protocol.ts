import type { PackSource } from "./packs.ts";
import type { Drawing, ToRead } from "./screens.ts";

/** What the thread of screens is started with. */
export interface ScreenThreadDeps {
  readonly zone: string;
  /** The user's own rules. */
  readonly packs: readonly PackSource[];
}

/** A drop is not answered. */
export type Ask = { readonly draw: Drawing } | { readonly read: ToRead };
export type Message = Ask | { readonly drop: number };

/** The first answer tells that the thread is ready; each other one answers the ask that was sent before it. */
export type Answer = { readonly value: unknown } | { readonly failed: string };
