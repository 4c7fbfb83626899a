/** A cell of a screen, as far as it can be a cursor that the program drew itself. */
export type FocusCell = {
  readonly x: number;
  readonly text: string;
  /** How its background looks; equal numbers look alike. */
  readonly ground: number;
};

export type Focus = { readonly x: number; readonly y: number };

/** The background of a cell of which the program has not said how it should look. */
export const plainGround = -1;

/** Glyphs that some programs draw in the place of a cursor. */
const glyph = /^[▋▌█▏▎▍▊▉]$/u;
/** Parts of pictures that stand beside those. */
const picture = /^[▀-▟]$/u;

/**
 * Where a program draws a cursor of its own: the only cell of its row whose background differs from the cells beside it, which look
 * alike, or a lone block. Null if there is none. Several are a menu of keys or a picture: then the lowest one counts, because input
 * boxes are at the bottom.
 */
export function drawnFocus(rows: readonly (readonly FocusCell[])[]): Focus | null {
  for (let y = rows.length - 1; y >= 0; y -= 1) {
    const found = lone(rows[y] ?? []);
    if (found.length === 1) return { x: found[0]?.x ?? 0, y };
  }
  return null;
}

function lone(cells: readonly FocusCell[]): readonly FocusCell[] {
  return cells.filter((cell, i) => {
    const [before, after] = [cells[i - 1], cells[i + 1]];
    if (glyph.test(cell.text) && before !== undefined)
      return !picture.test(before.text) && !picture.test(after?.text ?? "");
    if (after === undefined && before === undefined) return false;
    // At the edge of a row, a cell may be the ground on which a button stands, or what a status bar leaves free.
    if (before === undefined || after === undefined)
      return (
        cell.ground !== plainGround && cells.every((other) => other === cell || other.ground !== cell.ground)
      );
    return cell.ground !== before.ground && after.ground === before.ground;
  });
}
