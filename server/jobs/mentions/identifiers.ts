/** A team key and a number, neither inside of a longer word: ENG-12, and eng-12 in the name of a branch. */
const IDENTIFIER = /(?<![A-Za-z0-9_])([A-Za-z][A-Za-z0-9]{0,6})-([0-9]{1,9})(?![A-Za-z0-9])/g;
/** Commands of git that name a branch or write a commit; its log names what others did. */
const GIT = /\bgit\b[^\n]{0,200}?\b(?:commit|checkout|switch|branch|push|merge|rebase|worktree|status)\b/;
/** A member of JSON that holds a branch or a commit. */
const MEMBER = /"[^"\\]{0,60}(?:branch|commit)[^"\\]{0,60}"\s*:\s*"((?:[^"\\]|\\.){0,2000})"/gi;

/** The parts of an event that may name issues: texts as far as they were read. */
export interface Texts {
  kind: string;
  args: string;
  result: string | null;
  metadata: string | null;
}

/** Identifiers, of issues or not, that an event names in a prompt, a branch or a commit; as ENG-12, each once. */
export function namedBy({ kind, args, result, metadata }: Texts): string[] {
  const told = kind === "turn" ? [args] : GIT.test(args) ? [args, result ?? ""] : [];
  return namedIn([...told, ...inMetadata(metadata)]);
}

/** The identifiers in the JSON of metadata, under keys of branches and commits. */
export const inMetadata = (json: string | null): string[] =>
  [...(json ?? "").matchAll(MEMBER)].map(([, value = ""]) => value);

/** Identifiers that stand in texts, as ENG-12, each once. */
export const namedIn = (texts: readonly string[]): string[] => [
  ...new Set(
    texts.flatMap((text) =>
      [...text.matchAll(IDENTIFIER)].map(([, key = "", number]) => `${key.toUpperCase()}-${Number(number)}`),
    ),
  ),
];
