/** Names of the API, and those of the command line for the same. */
const CALLED: Readonly<Record<string, string>> = {
  body: "the comment",
  comment: "the message",
  dueDate: "--due",
  parentId: "--parent",
  term: "the words",
  after: "--after",
  first: "--limit",
  ttlSeconds: "--ttl",
  sessionId: "--session",
  url: "the address",
  email: "--email",
};

/** A refusal of the API as a sentence in the command line's own words: `input.body: must not be empty`. */
export const inWords = (message: string): string =>
  message
    .split(/; (?=[A-Za-z]\w*(?:\.\w+)*: )/)
    .map(oneInWords)
    .join(" ");

function oneInWords(message: string): string {
  const [, path = "", rest = message] = /^([A-Za-z]\w*(?:\.\w+)*): ([^\n]+)$/.exec(message) ?? [];
  const field = path.split(".").at(-1) ?? "";
  if (/\bendCursor\b/.test(rest)) return "--after must be a cursor, with which a page before ended.";
  const subject = CALLED[field] ?? (/^[a-z]+$/.test(field) ? `the ${field}` : "");
  return sentence(/^(must|is|has|cannot)\b/.test(rest) ? `${subject || "a value"} ${rest}` : rest);
}

/** A text with a capital letter at its beginning, unless it begins with an option, and a full stop at its end. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?)…]$/.test(begun) ? begun : `${begun}.`;
}
