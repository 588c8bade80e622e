const MAX_LENGTH = 80;

/** Invisible characters: controls of text, characters that programs may leave out, and line separators. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;
/** Blanks of any width; that of Braille counts as a sign, and shows nothing. */
const BLANKS = /[\p{Zs}\u2800]+/gu;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A client's name as it may be shown: one line, a visible character at least, one blank at most in a row. */
export function clientName(given: string | undefined, otherwise: string): string {
  const plain = given?.replace(INVISIBLE, "").replace(BLANKS, " ").trim() ?? "";
  return VISIBLE.test(plain) ? [...plain].slice(0, MAX_LENGTH).join("").trim() : otherwise;
}
