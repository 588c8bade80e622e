import { TOKEN_RULES } from "./vendors.ts";

/**
 * Words whose occurrence in a name announces a secret value. The words are in lower case, but names match in any case.
 */
export const SECRET_NAME_LITERALS = [
  ...["password", "passwd", "passphrase", "_pass", "pwd", "secret", "token", "apikey", "api_key", "api-key"],
  ...["access_key", "accesskey", "access-key", "accountkey", "account_key", "storage_key", "storage-key"],
  ...["private_key", "private-key", "privatekey", "credential", "dockerconfigjson"],
  ...["_auth", `"auth`, "auth:", "auth=", "auth ="],
] as const;

/** Names of two words, in the form that prompts and tables show: `AWS Secret Access Key [None]:`. */
export const SPACED_NAMES = ["api key", "access key", "secret key"] as const;

/**
 * Matches a name that announces a secret. The name must end with the announcing word or with one of the listed
 * suffixes.
 */
export const SECRET_NAME_PATTERN =
  /(?:pass(?:word|wd|phrase)|_pass|pwd|secret|token|(?:api|access|account|storage|private|secret|auth)[-_. ]?key|_KEY|credentials?|dockerconfigjson|(?:^|[_.])auth)(?:[-_]?(?:key|value|base|hash|prod|dev|old|new|\d{1,3}))*$/i;

/** Matches names that end like names of secrets but do not announce a secret, such as `next_page_token`. */
export const HARMLESS_NAME_PATTERN =
  /(?<![a-z])(?:public|primary|foreign|sort|cache|partition|idempotency|next|page|next_?page|continuation|sync|csrf|host|ssh_auth|max|min|num|count|total|input|output|cached?|prompt|completion|stop|pad|eos|bos|unk|mask|sep|cls)[-_.]?(?:tokens?|_?key)$/i;

/**
 * Matches the beginning of a value that references a secret instead of containing the secret, such as `$DB_PASSWORD`.
 */
const REFERENCE = /^(?:[$<{%*[(]|process\.env|os\.|env[.(])/i;
/** Matches a complete value that is only a placeholder for a secret, such as `changeme`. */
const STANDS_FOR =
  /^(?:true|false|null|none|undefined|nil|yes|no|x+|\.+|-+|(?:your|my|the|some|change|replace|insert|example|dummy|fake|sample|test|placeholder|redacted|pass|password|passwd|pwd|secret|token|user|key|string|value|required|optional|hidden|masked|omitted)(?:[-_ .:]?(?:me|this|here|key|token|secret|password|value|123|1234))*)$/i;
const LONGEST_WORDS = 64;

/** Returns true if a value is only a reference to a secret or a placeholder. */
export const isPlaceholder = (value: string): boolean =>
  REFERENCE.test(value) || (value.length <= LONGEST_WORDS && STANDS_FOR.test(value));

/** Kind of a mark that replaces text which was not searched because its step budget was spent. */
export const UNSCANNED = "unscanned";

/** Kinds of secrets that Trackway defines. A pattern of an organization must not use one of these names. */
export const BUILT_IN_KINDS: ReadonlySet<string> = new Set([
  ...TOKEN_RULES.map(({ kind }) => kind),
  ...["private-key", "url-password", "url-signature", "authorization", "bearer", "basic-auth", "cookie"],
  ...["password", "secret", "header", "random-value", "email", "phone", "iban", "card-number", UNSCANNED],
]);
