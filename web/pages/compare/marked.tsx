/**
 * Marks the part of a text that differs from another text: the words between the common beginning and the common end.
 */
export function renderTextDifference(text: string, other: string) {
  const [own, theirs] = [wordsOf(text), wordsOf(other)];
  let [head, tail] = [0, 0];
  while (head < own.length && head < theirs.length && own[head] === theirs[head]) head += 1;
  while (tail < Math.min(own.length, theirs.length) - head && own.at(-1 - tail) === theirs.at(-1 - tail)) tail += 1;
  const end = own.length - tail;
  const middle = own.slice(head, end).join("");
  return (
    <>
      {own.slice(0, head).join("")}
      {middle && <mark>{middle}</mark>}
      {own.slice(end).join("")}
    </>
  );
}

const wordsOf = (text: string): string[] => text.split(/(?<=[\s/.:=,'"])|(?=[\s'"])/);
