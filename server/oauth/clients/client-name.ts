const MAX_LENGTH = 80;

/** What is shown as nothing: marks that control text, characters that programs may leave out, and what parts lines. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;
/** Blanks of any width; that of Braille counts as a sign, and shows nothing. */
const BLANKS = /[\p{Zs}\u2800]+/gu;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** What a client calls itself, as it may be shown: a line with something to see in it, and one blank at most in a row. */
export function clientName(given: string | undefined, otherwise: string): string {
  const plain = given?.replace(INVISIBLE, "").replace(BLANKS, " ").trim() ?? "";
  return VISIBLE.test(plain) ? [...plain].slice(0, MAX_LENGTH).join("").trim() : otherwise;
}
