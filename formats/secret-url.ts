/** Error for a URL that cannot be used. The message contains no part of the URL, because any part may be a secret. */
export class InvalidUrlError extends Error {}

const ENCODE =
  "the URL can be read in two ways; percent-encode the characters / ? # @ and % of the user name and the password, such as %23 for #";

/** Matches the parameters of database and mail server URLs whose values may contain `@`. */
const PARAMETERS = /^(?:user|password|host|options|application_name|sslcert|sslkey|sslrootcert)=/;

/** Splits a URL into its authority (user, password, host and port) and the text after the authority. */
function split(text: string): { authority: string; rest: string } {
  // In http URLs, a backslash also ends the host.
  const ends = /^https?:/i.test(text) ? "/?#\\\\" : "/?#";
  const [, authority = "", rest = ""] = new RegExp(`^[a-z][a-z0-9+.-]*://([^${ends}]*)(.*)$`, "is").exec(text) ?? [];
  return { authority, rest };
}

/**
 * Parses a URL that may contain a secret. Refuses a URL if the URL grammar may end the password too early, at a
 * character that is not percent-encoded. The rest of the password would then be read as a host, a database or a
 * parameter.
 * @param form the expected form of the URL, for the error message
 * @throws InvalidUrlError
 */
export function parseSecretUrl(text: string, protocols: RegExp, form: string): URL {
  const fault = new InvalidUrlError(`takes ${form}`);
  if (hasControl(text))
    throw new InvalidUrlError("contains a control character or a line break; percent-encode or remove it");
  const { authority, rest } = split(text);
  const query = rest.split("?").slice(1).join("?").split("&");
  const isTorn =
    rest.includes("#") ||
    (rest.split("?", 1)[0] ?? "").includes("@") ||
    query.some((parameter) => parameter.includes("@") && !PARAMETERS.test(parameter));
  if (isTorn) throw new InvalidUrlError(ENCODE);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && protocols.test(url.protocol)) return url;
  throw authority.includes("@") || rest.includes("@") ? new InvalidUrlError(`${fault.message}, and ${ENCODE}`) : fault;
}

/**
 * Parses the http(s) URL of a server. Messages and links contain the URL, so a user name, a password or a query is
 * refused. @throws InvalidUrlError
 */
export function parseServerUrl(text: string): URL {
  const url = parseSecretUrl(text, /^https?:$/, "an http(s) address");
  if (url.username || url.password) throw new InvalidUrlError("must not contain a user name or a password");
  if (text.includes("?")) throw new InvalidUrlError("must not contain a query");
  return url;
}

/**
 * Returns a form of the URL that messages may show, without password and query. A user name without a password is also
 * removed, because the user name may be a token. Returns undefined if another part of the URL may contain a secret.
 */
export function toDisplayUrl(text: string): string | undefined {
  if (split(text).rest.match(/[@#]/) || hasControl(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!url.password) url.username = "";
  url.password = "";
  url.search = "";
  return url.href;
}

/** Returns the message of the `InvalidUrlError` that `parse` throws; undefined if the URL is valid. */
export function findUrlErrorMessage(parse: () => URL): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidUrlError) return error.message;
    throw error;
  }
}

/** Returns true if `decodeURIComponent` accepts the text. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const hasControl = (text: string): boolean => /[\p{Cc}]/u.test(text);
