/** The first number that is not counted one by one. */
export const MOST_COUNTED = 100;

/** A count in the rail, with a word of what is counted; none for 0. */
export function Count({ of: [count, word] }: { of: [count: number, word?: string] }) {
  if (count === 0) return null;
  const number = count < MOST_COUNTED ? count : `${MOST_COUNTED - 1}+`;
  return <span class="n">{[number, word].filter(Boolean).join(" ")}</span>;
}
