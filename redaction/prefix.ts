/**
 * The parts that tools print at the beginning of each line of a text: numbers of lines, names of files, moments, marks of diffs, quotations
 * and comments, frames and names in brackets. Each is tried in turn, more than once.
 */
const PARTS: readonly RegExp[] = [
  /[ \t]{1,24}/y,
  // `12→`, `12:`, `12|`, `12 │`, `12.`; the blanks behind are read in their turn.
  /\d{1,7}[ \t]{0,4}[→:|│┃┊)\].\t-]/y,
  // `12` in a column of its own.
  /\d{1,7}[ \t]{1,8}(?=\S)/y,
  // Marks of diffs and quotations, also several.
  /[>|+<│┃┊*#;-](?=[ \t>|+]|[^\s>|+-])/y,
  /(?:\/\/+|--|REM)(?=[ \t])/y,
  // `2026-01-02T10:00:00.123Z`, with a name or a level behind.
  /\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[ ]?[+-]\d\d:?\d\d)?\]?[ \t:|]/y,
  /\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?[ \t:|]/y,
  /(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|stdout|stderr|out|err)[ \t:|]/y,
  // `key.pem:2:`, `src/key.pem-3-`, `key.pem:`, with or without a number.
  /(?:[\w@~+-]{0,64}[./\\]){1,16}[\w@~+-]{0,64}[:|-](?:\d{1,7}[:|-](?:\d{1,5}[:|-])?)?/y,
  /[\w@+-]{1,64}:\d{1,7}[:-](?:\d{1,5}[:-])?/y,
  // `web-1  | `, `[web] `, `(web) `.
  /[\w.@/-]{1,48}[ \t]{0,24}[|│]/y,
  /[[(][^\])\r\n]{1,80}[\])][ \t:|]/y,
  // `1f2e3d4c (Ada 2026-01-02 10:00:00 +0000  2) ` of git blame.
  /\^?[0-9a-f]{7,40} [^()\r\n]{0,64}\([^()\r\n]{1,80}\) /y,
];

/** The place behind a mark of a diff or a quotation, and blanks. */
export function afterMark(text: string, line: number): number {
  MARK.lastIndex = line;
  MARK.test(text);
  return MARK.lastIndex;
}

const MARK = /[+>|-]?[ \t]{0,24}/y;

const MOST_PARTS = 6;
/** A prefix is no longer, and no run of a token stands that far behind a line's beginning. */
const LONGEST = 160;

/** The place behind the prefix of a line that begins here. */
export function afterPrefix(text: string, line: number): number {
  const next = text.charCodeAt(line);
  // Nearly every line begins with what it says.
  if ((next >= 65 && next <= 90) || (next >= 97 && next <= 122)) return afterNamed(text, line);
  return afterParts(text, line);
}

/** A name at the beginning of a line is a part of its prefix only behind a sign that no token holds. */
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
