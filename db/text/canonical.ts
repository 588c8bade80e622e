// SQL for Unicode's composed form (NFC) of text. Most text is ASCII or already in NFC, and normalize() takes 30 times
// as long as a comparison. Each fragment therefore first compares the length in bytes with the length in characters.

/**
 * SQL condition that is true if the text is not in NFC. The background indexes contain exactly the condition that
 * `buildIsNotNfcSql` builds.
 */
export const buildIsNotNfcSql = (value: string): string =>
  `(octet_length(${value}) <> length(${value}) and ${value} is not nfc normalized)`;

/** SQL for the NFC form of a text. */
export const buildNfcSql = (value: string): string =>
  `(case when ${buildIsNotNfcSql(value)} then normalize(${value}, NFC) else ${value} end)`;

/**
 * SQL that applies a condition, such as equality, to the NFC form of a text. An index of the column finds the rows
 * whose text is in NFC; a background index finds the other rows. The condition for the other rows is written twice,
 * because PostgreSQL has no statistics of normalized text: with one condition, PostgreSQL estimated one matching row in
 * 400 and read a list of a million issues in its order.
 */
export function buildNfcConditionSql(value: string, holds: (value: string) => string): string {
  const composed = holds(`normalize(${value}, NFC)`);
  return `(${holds(value)} or (${buildIsNotNfcSql(value)} and ${composed} and ${composed}))`;
}

/** SQL for a name in the form that comparisons use: NFC, in lower case. */
export const buildLowerCaseNfcSql = (value: string): string => `lower(${buildNfcSql(value)})`;
