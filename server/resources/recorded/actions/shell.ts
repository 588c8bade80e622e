/** One command of a line of shell, as its words without their quotes. */
export type Words = string[];

const SHELL = /^(?:\/(?:usr\/(?:local\/)?)?bin\/)?(?:ba|z|da)?sh$/;
const SEPARATORS = new Set([";", "&", "|", "\n", "(", ")"]);

/**
 * The commands of a text of shell, each as its words. Quotes and escapes are taken away; nothing is expanded, and a text
 * behind `<<` is not understood. Undefined for a text whose quotes do not end.
 */
export function commandsIn(text: string): Words[] | undefined {
  const commands: Words[] = [];
  let words: Words = [];
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

/** The script that a shell was started for alone, `bash -lc "npm test"`, else the text itself. */
export function unwrapped(text: string): string {
  const commands = commandsIn(text);
  const [words, more] = commands ?? [];
  return words && !more && scriptOf(words) !== undefined && !/[;&|<>]\s*$/.test(text)
    ? (scriptOf(words) ?? text)
    : text;
}

/** The script of a shell's own words, `["bash", "-lc", "npm test"]`. */
export function scriptOf(words: readonly string[]): string | undefined {
  const [shell = "", flag = "", script, ...rest] = words;
  return SHELL.test(shell) && /^-l?c$/.test(flag) && rest.length === 0 ? script : undefined;
}
