/**
 * Prefixes that tools print at the start of each line: line numbers, file names, timestamps, diff marks, quotation
 * marks, comment signs, frames and bracketed names. A prefix may have several parts, so all patterns are tried again
 * after each match.
 */
const PARTS: readonly RegExp[] = [
  /[ \t]{1,24}/y,
  // `12→`, `12:`, `12|`, `12 │`, `12.`; another pattern matches the spaces that follow.
  /\d{1,7}[ \t]{0,4}[→:|│┃┊)\].\t-]/y,
  // `12` in its own column.
  /\d{1,7}[ \t]{1,8}(?=\S)/y,
  // Marks of diffs and quotations, also repeated.
  /[>|+<│┃┊*#;-](?=[ \t>|+]|[^\s>|+-])/y,
  /(?:\/\/+|--|REM)(?=[ \t])/y,
  // `2026-01-02T10:00:00.123Z`, followed by a name or a level.
  /\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[ ]?[+-]\d\d:?\d\d)?\]?[ \t:|]/y,
  /\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?[ \t:|]/y,
  /(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|stdout|stderr|out|err)[ \t:|]/y,
  // `key.pem:2:`, `src/key.pem-3-`, `key.pem:`, with or without a line number.
  /(?:[\w@~+-]{0,64}[./\\]){1,16}[\w@~+-]{0,64}[:|-](?:\d{1,7}[:|-](?:\d{1,5}[:|-])?)?/y,
  /[\w@+-]{1,64}:\d{1,7}[:-](?:\d{1,5}[:-])?/y,
  // `web-1  | `, `[web] `, `(web) `.
  /[\w.@/-]{1,48}[ \t]{0,24}[|│]/y,
  /[[(][^\])\r\n]{1,80}[\])][ \t:|]/y,
  // `1f2e3d4c (Ada 2026-01-02 10:00:00 +0000  2) ` of git blame.
  /\^?[0-9a-f]{7,40} [^()\r\n]{0,64}\([^()\r\n]{1,80}\) /y,
];

/** Returns the position after a diff or quotation mark and the spaces that follow. */
export function skipDiffOrQuoteMark(text: string, line: number): number {
  MARK.lastIndex = line;
  MARK.test(text);
  return MARK.lastIndex;
}

const MARK = /[+>|-]?[ \t]{0,24}/y;

const MOST_PARTS = 6;
/**
 * Maximum length of a prefix in characters. A token that continues on a new line never continues further from the start
 * of the line.
 */
const LONGEST = 160;

/** Returns the position after the prefix of the line that begins at `line`. */
export function skipLinePrefix(text: string, line: number): number {
  const next = text.charCodeAt(line);
  // Fast path: nearly every line begins with its content.
  if ((next >= 65 && next <= 90) || (next >= 97 && next <= 122)) return afterNamed(text, line);
  return afterParts(text, line);
}

/**
 * Returns the position after the prefix of a line that begins with a letter. A name at the start of the line belongs to
 * a prefix only if a sign follows that no token contains.
 */
function afterNamed(text: string, line: number): number {
  const head = text.slice(line, line + LONGEST);
  return /^[^\s:|│]{1,80}[ \t]{0,24}[:|│(]|^[0-9a-f]{7,40} /.test(head) ? afterParts(text, line) : line;
}

function afterParts(text: string, line: number): number {
  const head = text.slice(line, line + LONGEST);
  let at = 0;
  for (let parts = 0; parts < MOST_PARTS; parts += 1) {
    const end = afterPart(head, at);
    if (end === at) break;
    at = end;
  }
  return line + at;
}

function afterPart(head: string, at: number): number {
  for (const part of PARTS) {
    part.lastIndex = at;
    if (part.test(head)) return part.lastIndex;
  }
  return at;
}
