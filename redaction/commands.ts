import type { TextReader } from "./reading.ts";
import { isPlaceholder } from "./rules.ts";
import type { FoundSecret } from "./token.ts";

/**
 * Form in which an option contains its secret:
 * - `pair`: the secret follows a name and a colon
 * - `password`: the whole value is the secret
 * - `attached`: the whole value is the secret, and no space precedes the value
 * - `cookie`: the value contains cookies, which always contain `=`
 * - `source`: the secret follows `pass:`
 */
export type OptionForm = "pair" | "password" | "attached" | "cookie" | "source";

type Options = Readonly<Record<string, OptionForm>>;

const PASSWORD: Options = { "--password": "password" };
const CURL: Options = {
  "-u": "pair",
  "--user": "pair",
  "-U": "pair",
  "--proxy-user": "pair",
  "-b": "cookie",
  "--cookie": "cookie",
  "--pass": "password",
  "--proxy-pass": "password",
  "--oauth2-bearer": "password",
};
const MYSQL: Options = { ...PASSWORD, "-p": "attached" };
const MONGO: Options = { ...PASSWORD, "-p": "password" };

/** For each command, the options that take a secret. The key is the text with which the command begins. */
export const SECRET_OPTIONS_BY_COMMAND: Readonly<Record<string, Options>> = {
  "curl ": CURL,
  ...Object.fromEntries(
    ["mysql ", "mysqldump ", "mysqladmin ", "mysqlimport ", "mariadb ", "mariadb-dump "].map((name) => [name, MYSQL]),
  ),
  ...Object.fromEntries(["mongo ", "mongosh ", "mongodump ", "mongorestore "].map((name) => [name, MONGO])),
  ...Object.fromEntries(["docker login ", "podman login "].map((name) => [name, MONGO])),
  "sshpass ": { "-p": "password" },
  "redis-cli ": { "-a": "password", "--pass": "password" },
  "sqlcmd ": { "-P": "password" },
  "openssl ": { "-passin": "source", "-passout": "source", "-pass": "source" },
};

/** Texts with which commands begin. The trigger search looks for these texts. */
export const COMMAND_LITERALS: readonly string[] = Object.keys(SECRET_OPTIONS_BY_COMMAND);

const OPTIONS = Object.values(SECRET_OPTIONS_BY_COMMAND).map((options) => new Map(Object.entries(options)));
/**
 * One regular expression per command. The expression matches a command line with at least one of the command's options.
 */
const SIGNS = OPTIONS.map((options) => {
  const names = [...options.keys()];
  const short = names.filter((name) => name.length === 2).map((name) => name.charAt(1));
  const long = names.filter((name) => name.length > 2);
  return new RegExp([...(short.length > 0 ? [`[ \\t]-[A-Za-z]{0,8}[${short.join("")}]`] : []), ...long].join("|"));
});

/** A space, or a line break after a backslash, followed by one word of a command. Parts of the word may be quoted. */
const WORD = /(?:[ \t]|\\\r?\n|\\{2,4}n)+((?:\\{0,3}"[^"\r\n]{0,4096}"|\\{0,3}'[^'\r\n]{0,4096}'|[^\s"'])+)/y;

/** Returns the secrets in the options of a command, and the end of the command. */
export function findCommandSecrets(
  reading: TextReader,
  at: number,
  command: number,
): { found: FoundSecret[]; end: number } {
  const { text } = reading;
  const options = OPTIONS[command] ?? new Map<string, OptionForm>();
  const found: FoundSecret[] = [];
  let form: OptionForm | undefined;
  let end = at + (COMMAND_LITERALS[command]?.length ?? 1) - 1;
  const line = endOfCommand(text, end);
  reading.steps += (line - end) >> 2;
  if (!SIGNS[command]?.test(text.slice(end, line))) return { found, end: line };
  for (WORD.lastIndex = end; ; WORD.lastIndex = end) {
    const word = WORD.exec(text)?.[1];
    if (word === undefined) break;
    end = WORD.lastIndex;
    const start = end - word.length;
    reading.steps += word.length + 4;
    const option: [OptionForm, string] | undefined = form ? [form, word] : attached(options, word);
    form = form ? undefined : separate(options, word);
    const secret = option && secretOf(option[0], option[1]);
    if (secret)
      found.push({
        start: start + word.length - option[1].length + secret.from,
        end: start + word.length - option[1].length + secret.to,
        kind: KINDS[option[0]],
      });
    if (/^[|;&]/.test(word)) break;
  }
  return { found, end };
}

/** Returns the end of a command line, including continuation lines after a backslash. */
function endOfCommand(text: string, from: number): number {
  let end = text.indexOf("\n", from);
  while (end > 0 && text.charAt(end - 1) === "\\") end = text.indexOf("\n", end + 1);
  return end < 0 ? text.length : end;
}

const KINDS: Readonly<Record<OptionForm, string>> = {
  pair: "basic-auth",
  password: "password",
  attached: "password",
  cookie: "cookie",
  source: "password",
};

/**
 * Returns the form of an option whose value is the next word; undefined for other words. In combined short options
 * (`-su`), the last letter counts.
 */
function separate(options: ReadonlyMap<string, OptionForm>, word: string): OptionForm | undefined {
  const form = options.get(word) ?? (/^-[A-Za-z]{2,8}$/.test(word) ? options.get(`-${word.at(-1)}`) : undefined);
  return form === "attached" ? undefined : form;
}

/**
 * Returns the form and value of an option that includes its value: `-uname:password`, `--user=name:password`,
 * `-pPASSWORD`.
 */
function attached(options: ReadonlyMap<string, OptionForm>, word: string): [OptionForm, string] | undefined {
  if (!word.startsWith("-") || options.has(word)) return undefined;
  const sign = word.indexOf("=");
  const long = word.startsWith("--") && sign > 0 ? options.get(word.slice(0, sign)) : undefined;
  if (long) return [long, word.slice(sign + 1)];
  const short = word.startsWith("--") ? undefined : options.get(word.slice(0, 2));
  if (short) return [short, word.slice(2)];
  const [, letter = "", value = ""] = /^-[A-Za-z]{1,6}([uU])(["'\\]{0,4}[^:=]{1,64}:.+)$/.exec(word) ?? [];
  return options.get(`-${letter}`) === "pair" ? ["pair", value] : undefined;
}

/** Returns the position of the secret within an option's value. */
function secretOf(form: OptionForm, value: string): { from: number; to: number } | undefined {
  const [, opens = "", inner = ""] = /^(\\{0,3}["']?)(.*?)\\{0,3}["']?$/s.exec(value) ?? [];
  const before = form === "pair" ? inner.indexOf(":") + 1 : form === "source" ? (inner.startsWith("pass:") ? 5 : 0) : 0;
  const secret = inner.slice(before);
  const isNone = (form === "pair" || form === "source") && before === 0;
  if (isNone || secret.length < 3 || isPlaceholder(secret) || secret.startsWith("-")) return undefined;
  if (form === "cookie" && !/=[^;]{4,}/.test(secret)) return undefined;
  return { from: opens.length + before, to: opens.length + inner.length };
}
