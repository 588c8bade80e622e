import type { Reading } from "./reading.ts";
import { isPlaceholder } from "./rules.ts";
import type { Found } from "./token.ts";

/**
 * The form in which an option takes its secret: `pair` behind a name and a colon, `password` as a whole, `attached` as a whole without a blank
 * before it, `cookie` as cookies, which are none without `=`, and `source` behind `pass:`.
 */
type Form = "pair" | "password" | "attached" | "cookie" | "source";

type Options = Readonly<Record<string, Form>>;

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

/** Options that take a secret, by the beginning of the command. */
const COMMANDS: Readonly<Record<string, Options>> = {
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

/** The texts that are searched for. */
export const COMMAND_LITERALS: readonly string[] = Object.keys(COMMANDS);

const OPTIONS = Object.values(COMMANDS).map((options) => new Map(Object.entries(options)));
/** Matches a line that has one of the options. */
const SIGNS = OPTIONS.map((options) => {
  const names = [...options.keys()];
  const short = names.filter((name) => name.length === 2).map((name) => name.charAt(1));
  const long = names.filter((name) => name.length > 2);
  return new RegExp([...(short.length > 0 ? [`[ \\t]-[A-Za-z]{0,8}[${short.join("")}]`] : []), ...long].join("|"));
});

/** A blank, or a line break behind a backslash, and a word of a command, parts of which may stand in quotes. */
const WORD = /(?:[ \t]|\\\r?\n|\\{2,4}n)+((?:\\{0,3}"[^"\r\n]{0,4096}"|\\{0,3}'[^'\r\n]{0,4096}'|[^\s"'])+)/y;

/** The secrets in the options of a command, and where it ends. */
export function commandAt(reading: Reading, at: number, command: number): { found: Found[]; end: number } {
  const { text } = reading;
  const options = OPTIONS[command] ?? new Map<string, Form>();
  const found: Found[] = [];
  let form: Form | undefined;
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
    const option: [Form, string] | undefined = form ? [form, word] : attached(options, word);
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

/** The end of a line of a command, and of those that it goes on in. */
function endOfCommand(text: string, from: number): number {
  let end = text.indexOf("\n", from);
  while (end > 0 && text.charAt(end - 1) === "\\") end = text.indexOf("\n", end + 1);
  return end < 0 ? text.length : end;
}

const KINDS: Readonly<Record<Form, string>> = {
  pair: "basic-auth",
  password: "password",
  attached: "password",
  cookie: "cookie",
  source: "password",
};

/** The form of an option whose value is the next word; short options may stand together. */
function separate(options: ReadonlyMap<string, Form>, word: string): Form | undefined {
  const form = options.get(word) ?? (/^-[A-Za-z]{2,8}$/.test(word) ? options.get(`-${word.at(-1)}`) : undefined);
  return form === "attached" ? undefined : form;
}

/** The form and the value of an option that has both: `-uname:password`, `--user=name:password`, `-pPASSWORD`. */
function attached(options: ReadonlyMap<string, Form>, word: string): [Form, string] | undefined {
  if (!word.startsWith("-") || options.has(word)) return undefined;
  const sign = word.indexOf("=");
  const long = word.startsWith("--") && sign > 0 ? options.get(word.slice(0, sign)) : undefined;
  if (long) return [long, word.slice(sign + 1)];
  const short = word.startsWith("--") ? undefined : options.get(word.slice(0, 2));
  if (short) return [short, word.slice(2)];
  const [, letter = "", value = ""] = /^-[A-Za-z]{1,6}([uU])(["'\\]{0,4}[^:=]{1,64}:.+)$/.exec(word) ?? [];
  return options.get(`-${letter}`) === "pair" ? ["pair", value] : undefined;
}

/** The place of an option's secret in its value. */
function secretOf(form: Form, value: string): { from: number; to: number } | undefined {
  const [, opens = "", inner = ""] = /^(\\{0,3}["']?)(.*?)\\{0,3}["']?$/s.exec(value) ?? [];
  const before = form === "pair" ? inner.indexOf(":") + 1 : form === "source" ? (inner.startsWith("pass:") ? 5 : 0) : 0;
  const secret = inner.slice(before);
  const isNone = (form === "pair" || form === "source") && before === 0;
  if (isNone || secret.length < 3 || isPlaceholder(secret) || secret.startsWith("-")) return undefined;
  if (form === "cookie" && !/=[^;]{4,}/.test(secret)) return undefined;
  return { from: opens.length + before, to: opens.length + inner.length };
}
