import type { IncomingHttpHeaders } from "node:http";

/**
 * The ingest key as programs of others can send it: in `x-api-key`, as a bearer token, or as the password of Basic, whose
 * user's name does not matter.
 */
export function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const own = headers["x-api-key"];
  if (typeof own === "string") return own;
  const [, scheme = "", credentials = ""] = /^(\w+) +(\S+) *$/.exec(headers.authorization ?? "") ?? [];
  if (scheme.toLowerCase() === "bearer") return credentials;
  if (scheme.toLowerCase() !== "basic") return undefined;
  const decoded = Buffer.from(credentials, "base64").toString("latin1");
  return decoded.slice(decoded.indexOf(":") + 1);
}
