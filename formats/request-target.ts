/** The request target and the Host header of a request. */
interface Targeted {
  url?: string | undefined;
  headers: { host?: string | undefined };
}

const ABSOLUTE = /^https?:\/\/([^/?#\\]*)([^\\]*)$/i;

/**
 * Converts the request target to the form that servers match: path and query. An absolute target (`http://host/path`)
 * overrides the Host header (RFC 9112, 3.2.2). The function therefore copies the target's host to the header, which the
 * host check reads.
 * @returns false for a target without a path; the request then stays unchanged
 */
export function normalizeRequestTarget(request: Targeted): boolean {
  const target = request.url ?? "";
  if (target.startsWith("/")) return true;
  if (target === "*") return true;
  const [, host = "", rest = ""] = ABSOLUTE.exec(target) ?? [];
  if (!host || host.includes("@") || !URL.canParse(`http://${host}`)) return false;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  request.headers.host = host;
  return true;
}
