// SQL for the composed form (NFC) of text. Most text is ASCII or already in NFC. Each fragment first compares the lengths in
// bytes and characters, because normalize() takes 30 times as long as a comparison.

/** SQL for a condition: the text is not in NFC. The background indexes contain exactly this condition. */
export const buildUncomposedSql = (value: string): string =>
  `(octet_length(${value}) <> length(${value}) and ${value} is not nfc normalized)`;

/** SQL for the NFC form of a text. */
export const buildCanonicalSql = (value: string): string =>
  `(case when ${buildUncomposedSql(value)} then normalize(${value}, NFC) else ${value} end)`;

/**
 * SQL for a condition that holds for the NFC form of a text, such as equality. An index of the column finds rows in NFC; a
 * background index finds the other rows. The condition for the other rows is repeated: PostgreSQL has no statistics of
 * normalized text, estimated one matching row in 400, and read a list of a million issues in its order.
 */
export function buildCanonicalCondition(value: string, holds: (value: string) => string): string {
  const composed = holds(`normalize(${value}, NFC)`);
  return `(${holds(value)} or (${buildUncomposedSql(value)} and ${composed} and ${composed}))`;
}

/** SQL for a name in the form that comparisons use: NFC, in lower case. */
export const buildFoldedSql = (value: string): string => `lower(${buildCanonicalSql(value)})`;
