/** A text with escapes put for their characters, and the place of each of its characters in what it was. */
export interface Unescaped {
  text: string;
  /** The place at which each character began, and the length behind them. Undefined: nothing moved. */
  places: Uint32Array | undefined;
}

const BACKSLASH = 92;

/** Puts `A` for `\u0041` and `/` for `\/`, however many backslashes stand before: JSON holds JSON as text. */
export function unescaped(text: string): Unescaped {
  if (!text.includes("\\u00") && !text.includes("\\/")) return { text, places: undefined };
  const places = new Uint32Array(text.length + 1);
  const pieces: string[] = [];
  let length = 0;
  let copied = 0;
  const copy = (to: number) => {
    for (let at = copied; at < to; at += 1) places[length++] = at;
    pieces.push(text.slice(copied, to));
  };
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at)) {
    const start = at;
    while (text.charCodeAt(at) === BACKSLASH) at += 1;
    const [char, end] = escapeAt(text, at);
    if (char === "") continue;
    copy(start);
    places[length++] = start;
    pieces.push(char);
    copied = end;
    at = end;
  }
  copy(text.length);
  places[length] = text.length;
  return { text: pieces.join(""), places };
}

/** The character of an escape behind its backslashes, and its end; nothing for one that stays. */
function escapeAt(text: string, at: number): [string, number] {
  if (text.charAt(at) === "/") return ["/", at + 1];
  const hex = /^u00([2-7][0-9a-f])/i.exec(text.slice(at, at + 5));
  return hex?.[1] ? [String.fromCharCode(Number.parseInt(hex[1], 16)), at + 5] : ["", at];
}
