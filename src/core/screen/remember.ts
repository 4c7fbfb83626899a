/**
 * Remembers what a pure function answered: most rows of a screen are the same from frame to frame. It changes no
 * result, and it is emptied when it is full, so that its size stays bounded.
 */
export function remembering<T>(compute: (text: string) => T, max = 2000): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const answer = compute(text);
    if (known.size >= max) known.clear();
    known.set(text, answer);
    return answer;
  };
}
