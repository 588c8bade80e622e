/** Beginnings that a spreadsheet may take for a formula, by OWASP's list, and the quote that stands before those. */
const FORMULA = /^(?=[=+\-@\t\r\n＝＋－＠'])/;

/** A text as it stands in CSV: with a quote before it where a spreadsheet would take it for a formula, as Linear's has. */
export const guarded = (text: string): string => text.replace(FORMULA, "'");

/** The text that `guarded` was given. */
export const unguarded = <T extends string | undefined>(text: T): T =>
  (text?.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text) as T;
