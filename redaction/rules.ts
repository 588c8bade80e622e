import { TOKENS } from "./vendors.ts";

/** Parts of names that announce a secret value; in lower case, matched in any case. */
export const NAME_WORDS = [
  ...["password", "passwd", "passphrase", "_pass", "pwd", "secret", "token", "apikey", "api_key", "api-key"],
  ...["access_key", "accesskey", "access-key", "accountkey", "account_key", "storage_key", "storage-key"],
  ...["private_key", "private-key", "privatekey", "credential", "dockerconfigjson"],
  ...["_auth", `"auth`, "auth:", "auth=", "auth ="],
] as const;

/** Names of two words, as prompts and tables spell names: `AWS Secret Access Key [None]:`. */
export const SPACED_NAMES = ["api key", "access key", "secret key"] as const;

/** Complete name that announces a secret. Only the listed suffixes may follow the word. */
export const SECRET_NAME =
  /(?:pass(?:word|wd|phrase)|_pass|pwd|secret|token|(?:api|access|account|storage|private|secret|auth)[-_. ]?key|_KEY|credentials?|dockerconfigjson|(?:^|[_.])auth)(?:[-_]?(?:key|value|base|hash|prod|dev|old|new|\d{1,3}))*$/i;

/** Names with the same endings that do not announce a secret. */
export const HARMLESS_NAME =
  /(?<![a-z])(?:public|primary|foreign|sort|cache|partition|idempotency|next|page|next_?page|continuation|sync|csrf|host|ssh_auth|max|min|num|count|total|input|output|cached?|prompt|completion|stop|pad|eos|bos|unk|mask|sep|cls)[-_.]?(?:tokens?|_?key)$/i;

/** Beginnings of values that reference a secret. */
const REFERENCE = /^(?:[$<{%*[(]|process\.env|os\.|env[.(])/i;
/** Complete values that are placeholders for a secret. */
const STANDS_FOR =
  /^(?:true|false|null|none|undefined|nil|yes|no|x+|\.+|-+|(?:your|my|the|some|change|replace|insert|example|dummy|fake|sample|test|placeholder|redacted|pass|password|passwd|pwd|secret|token|user|key|string|value|required|optional|hidden|masked|omitted)(?:[-_ .:]?(?:me|this|here|key|token|secret|password|value|123|1234))*)$/i;
const LONGEST_WORDS = 64;

/** Returns true if a value is only a reference to a secret or a placeholder. */
export const isPlaceholder = (value: string): boolean =>
  REFERENCE.test(value) || (value.length <= LONGEST_WORDS && STANDS_FOR.test(value));

/** Kind of text that was withheld because its step budget was spent. */
export const UNSCANNED = "unscanned";

/** Kinds of secrets that exist without an organization's patterns. No pattern may use these names. */
export const BUILT_IN_KINDS: ReadonlySet<string> = new Set([
  ...TOKENS.map(({ kind }) => kind),
  ...["private-key", "url-password", "url-signature", "authorization", "bearer", "basic-auth", "cookie"],
  ...["password", "secret", "header", "random-value", "email", "phone", "iban", "card-number", UNSCANNED],
]);
