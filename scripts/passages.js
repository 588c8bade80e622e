// @ts-check
import { SyntaxKind } from "typescript/unstable/ast";
import { createScanner } from "typescript/unstable/ast/scanner";

/**
 * @typedef {{ line: number, text: string, below?: string }} Passage `below` is the line of code that follows a
 * comment.
 */

const MARKS = /^[ \t]*(\/\*\*?|\*\/|\*|\/\/)?[ \t]?|[ \t]*\*\/$/gm;
const DIRECTIVE = /^(biome-ignore|@ts-|c8 ignore|@typedef|@type|@param|@returns|#)/;

/**
 * The comments of a source file. Line comments on adjacent lines count as one comment.
 * @param {string} source
 * @returns {Passage[]}
 */
export function listComments(source) {
  /** @type {(Passage & { end: number })[]} */
  const comments = [];
  for (const [start, end] of commentRanges(source)) {
    const text = source.slice(start, end);
    const before = comments.at(-1);
    if (before && text.startsWith("//") && /^\r?\n[ \t]*$/.test(source.slice(before.end, start))) {
      before.text += `\n${text}`;
      before.end = end;
    } else comments.push({ line: source.slice(0, start).split("\n").length, text, end });
  }
  return comments
    .map(({ line, text, end }) => ({
      line,
      text: text.replaceAll(MARKS, "").trim(),
      below: /^[^\S\n]*\n([^\n]*)/.exec(source.slice(end))?.[1] ?? "",
    }))
    .filter(({ text }) => text !== "" && !DIRECTIVE.test(text));
}

/** Tokens after which a slash divides. After any other token, a slash begins a regular expression. */
const ENDS_VALUE = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.NumericLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  // Closes a JSX element.
  SyntaxKind.LessThanToken,
]);
const TRIVIA = [SyntaxKind.WhitespaceTrivia, SyntaxKind.NewLineTrivia];
const COMMENTS = [SyntaxKind.SingleLineCommentTrivia, SyntaxKind.MultiLineCommentTrivia];

/** @param {string} source @returns {[start: number, end: number][]} */
function commentRanges(source) {
  const scanner = createScanner(false, undefined, source);
  /** @type {[number, number][]} */
  const ranges = [];
  /** The depth of braces within each open substitution of a template. @type {number[]} */
  const braces = [];
  let before = SyntaxKind.Unknown;
  for (let token = scanner.scan(); token !== SyntaxKind.EndOfFile; token = scanner.scan()) {
    if (token === SyntaxKind.SlashToken && !ENDS_VALUE.has(before)) token = scanner.reScanSlashToken();
    if (token === SyntaxKind.CloseBraceToken && braces.at(-1) === 0) {
      braces.pop();
      token = scanner.reScanTemplateToken(false);
    } else if (braces.length > 0 && token === SyntaxKind.OpenBraceToken) braces.push(Number(braces.pop()) + 1);
    else if (braces.length > 0 && token === SyntaxKind.CloseBraceToken) braces.push(Number(braces.pop()) - 1);
    if (token === SyntaxKind.TemplateHead || token === SyntaxKind.TemplateMiddle) braces.push(0);
    if (COMMENTS.includes(token)) ranges.push([scanner.getTokenStart(), scanner.getTokenEnd()]);
    else if (!TRIVIA.includes(token)) before = token;
  }
  return ranges;
}

/**
 * The paragraphs, list items and table cells of a Markdown page, without code blocks.
 * @param {string} page
 * @returns {Passage[]}
 */
export function listPassages(page) {
  /** @type {Passage[]} */
  const passages = [];
  /** @type {Passage | undefined} */
  let open;
  let fenced = false;
  for (const [at, line] of page.split("\n").entries()) {
    if (/^\s*```/.test(line)) fenced = !fenced;
    const prose = line.replaceAll(/`[^`]*`/g, "`").trim();
    const text = prose.replace(/^([-*] |\d+\. |> )/, "");
    if (fenced || text === "" || /^\s*(```|#)/.test(line)) open = undefined;
    else if (text.startsWith("|")) {
      open = undefined;
      const cells = text.split("|").map((cell) => ({ line: at + 1, text: cell.trim() }));
      passages.push(...cells.filter((cell) => /[^-]/.test(cell.text)));
    } else if (open && text === prose) open.text += ` ${text}`;
    else {
      open = { line: at + 1, text };
      passages.push(open);
    }
  }
  return passages;
}
