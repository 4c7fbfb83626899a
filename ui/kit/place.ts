/** Where the page is: the parts of its path, and its query. */
export interface Place {
  readonly path: string;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

export function placeOf(path: string, search: string): Place {
  const parts = path.split("/").filter((part) => part !== "");
  return { path, parts: parts.map(decoded), query: new URLSearchParams(search) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function address(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join("/")}`;
}
