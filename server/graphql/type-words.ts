/** A name in words: issueLabel is issue label. */
export const wordsOf = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();

/** A type's name in words with its article: issueLabel is an issue label. */
export const oneOf = (name: string): string => `${/^[aeio]/i.test(name) ? "an" : "a"} ${wordsOf(name)}`;

/** A type's name in words, of several: issueLabel is issue labels. */
export function pluralOf(name: string): string {
  const words = wordsOf(name);
  if (/[^aeiou]y$/.test(words)) return `${words.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(words) ? `${words}es` : `${words}s`;
}
