/** Characters of a result in which its message is looked for, and those kept of it. */
const READ = 4_000;
const MESSAGE = 300;

/** What differs from one time to the next, and what stands for it, in this order: the first would hide the others. */
const VARYING: readonly [pattern: string, sign: string][] = [
  [`"[^"]*"|(?<!\\w)'[^']*'(?!\\w)|\`[^\`]*\`|“[^”]*”|‘[^’]*’`, "‹text›"],
  ["\\m[a-zA-Z][a-zA-Z0-9+.-]*://\\S+", "‹url›"],
  ["\\m\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d:\\d\\d(:\\d\\d)?[0-9.:Z+-]*", "‹time›"],
  ["(?<![\\w/])(~|\\.{1,2})?(/[\\w.@%+-]+)+/?|[\\w.@-]+(/[\\w.@-]+)+|\\m[A-Za-z]:\\\\[^\\s]+", "‹path›"],
  ["\\m0x[0-9a-fA-F]+|\\m[0-9a-fA-F]{8}-?[0-9a-fA-F-]{4,}|\\m(?=\\w*\\d)(?=\\w*[A-Za-z])\\w{12,}\\M", "‹id›"],
  ["[0-9]+(\\.[0-9]+)?", "‹n›"],
  ["\\s+", " "],
];

const literal = (text: string): string => `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/**
 * Raw SQL: a part of what the read planner and a job write. What a result says went wrong, its message or its first
 * line, without what differs from one time to the next: quoted text, addresses, times, paths, ids and numbers.
 */
export function messageOf(result: string): string {
  const text = `left(${result}, ${READ})`;
  const found = `substring(${text} from '"(?:error|message|stderr)"\\s*:\\s*"((?:[^"\\\\]|\\\\.)+)')`;
  const whole = `replace(replace(coalesce(${found}, ${text}), '\\n', E'\\n'), '\\"', '"')`;
  const line = `left(split_part(ltrim(${whole}, E' \\t\\r\\n'), E'\\n', 1), ${MESSAGE})`;
  const bare = VARYING.reduce(
    (sql, [pattern, sign]) => `regexp_replace(${sql}, ${literal(pattern)}, '${sign}', 'g')`,
    line,
  );
  return `btrim(${bare})`;
}

/** SQL of the id of the group of failures that have a name and a message: it is theirs for ever. */
export const groupIdOf = (organization: string, tool: string, message: string): string =>
  `md5(${organization}::text || E'\\n' || ${tool} || E'\\n' || lower(${message}))::uuid`;
