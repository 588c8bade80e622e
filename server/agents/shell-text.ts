/** One command of a shell text, split into words. Quotes are removed. */
export type CommandWords = string[];

const SHELL = /^(?:\/(?:usr\/(?:local\/)?)?bin\/)?(?:ba|z|da)?sh$/;
const SEPARATORS = new Set([";", "&", "|", "\n", "(", ")"]);

/**
 * Splits a shell text into commands, and each command into words. Removes quotes and escapes, but does not expand
 * variables or patterns, and does not support `<<`. Returns undefined if a quote is not closed.
 */
export function splitCommands(text: string): CommandWords[] | undefined {
  const commands: CommandWords[] = [];
  let words: CommandWords = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return undefined;
      word = (word ?? "") + text.slice(at + 1, end);
      at = end;
    } else if (char === '"') {
      word ??= "";
      for (at += 1; text[at] !== '"'; at += 1) {
        if (at >= text.length) return undefined;
        if (text[at] === "\\" && /["\\$`\n]/.test(text[at + 1] ?? "")) at += 1;
        word += text[at];
      }
    } else if (char === "\\") {
      at += 1;
      if (text[at] !== "\n") word = (word ?? "") + (text[at] ?? "");
    } else if (char === "#" && word === undefined) {
      while (at + 1 < text.length && text[at + 1] !== "\n") at += 1;
    } else if (SEPARATORS.has(char) && !(char === "&" && (text[at - 1] === ">" || text[at + 1] === ">"))) endCommand();
    else if (/\s/.test(char)) endWord();
    else word = (word ?? "") + char;
  }
  endCommand();
  return commands;
}

/**
 * Returns the script of a text that only starts a shell: `npm test` for `bash -lc "npm test"`. Returns any other text
 * unchanged.
 */
export function unwrapShellCommand(text: string): string {
  const commands = splitCommands(text);
  const [words, more] = commands ?? [];
  return words && !more && readScript(words) !== undefined && !/[;&|<>]\s*$/.test(text)
    ? (readScript(words) ?? text)
    : text;
}

/**
 * Returns the script that a list of words passes to a shell: `npm test` for `["bash", "-lc", "npm test"]`. Undefined
 * for other words.
 */
export function readScript(words: readonly string[]): string | undefined {
  const [shell = "", flag = "", script, ...rest] = words;
  return SHELL.test(shell) && /^-l?c$/.test(flag) && rest.length === 0 ? script : undefined;
}
