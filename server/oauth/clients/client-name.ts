const MAX_LENGTH = 80;

/** What a client calls itself, as it may be shown: a line of letters, without what turns or hides text. */
export function clientName(given: string | undefined, otherwise: string): string {
  const plain = given?.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "").trim();
  return (plain && [...plain].slice(0, MAX_LENGTH).join("")) || otherwise;
}
