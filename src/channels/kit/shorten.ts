/** How much room a text takes at the far side. */
export type Measure = (text: string) => number;

export const inCharacters: Measure = (text) => text.length;
export const inBytes: Measure = (text) => Buffer.byteLength(text);

/**
 * The longest beginning of a plain text that fits once it is dressed. The text is cut before it is dressed, and never
 * within a character, so that its markup stays valid.
 */
export function shorten(
  text: string,
  room: number,
  dress: (part: string) => string = (part) => part,
  measure: Measure = inCharacters,
): string {
  // No dress makes a text shorter, so what is longer than the room need not be looked at.
  if (text.length <= room && measure(dress(text)) <= room) return dress(text);
  const characters = Array.from(text.slice(0, Math.max(0, room)).toWellFormed());
  let fits = 0;
  let tooMany = characters.length + 1;
  const cutAt = (count: number) => dress(`${characters.slice(0, count).join("").trimEnd()}…`);
  while (fits + 1 < tooMany) {
    const middle = (fits + tooMany) >> 1;
    if (measure(cutAt(middle)) <= room) fits = middle;
    else tooMany = middle;
  }
  return fits === 0 ? "" : cutAt(fits);
}
