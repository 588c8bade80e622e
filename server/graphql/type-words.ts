/** Splits a name into words: issueLabel becomes "issue label". */
export const splitTypeName = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();

/** Splits a type's name into words with an article: issueLabel becomes "an issue label". */
export const typeNameWithArticle = (name: string): string =>
  `${/^[aeio]/i.test(name) ? "an" : "a"} ${splitTypeName(name)}`;

/** Splits a type's name into words in the plural: issueLabel becomes "issue labels". */
export function pluralTypeName(name: string): string {
  const words = splitTypeName(name);
  if (/[^aeiou]y$/.test(words)) return `${words.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(words) ? `${words}es` : `${words}s`;
}
