import { useRef, useState } from "preact/hooks";
import type { AgentView } from "../api/shapes.ts";

/** Keeps the rows where they are while somebody points at them: a row must not jump away under a click. */
export function useHeldOrder(sorted: readonly AgentView[]): {
  readonly shown: readonly AgentView[];
  readonly hold: (is: boolean) => void;
} {
  const [isHeld, hold] = useState(false);
  const places = useRef<ReadonlyMap<string, number>>(new Map());
  if (!isHeld) places.current = new Map(sorted.map(({ id }, index) => [id, index]));
  return { shown: isHeld ? inPlace(sorted, places.current) : sorted, hold };
}

/** Those that have a place first, in its order; newcomers after them. */
export function inPlace(
  agents: readonly AgentView[],
  places: ReadonlyMap<string, number>,
): readonly AgentView[] {
  const placeOf = ({ id }: AgentView) => places.get(id) ?? places.size;
  return [...agents].sort((a, b) => placeOf(a) - placeOf(b));
}
