/** First path segments of the web app's pages. */
export const PAGE_PATHS = [
  ...["connect", "inbox", "sessions", "failures", "usage", "tools", "users"],
  ...["issues", "projects", "cycles", "settings"],
] as const;

/** First path segments that programs request. */
export const NON_PAGE_PATH_SEGMENTS = ["api", "assets", "docs", "graphql", "metrics", "oauth", "sdk", "v1"] as const;

/**
 * Reserved first path segments. Trackway serves nothing under these segments yet, or another server handles the path.
 */
const RESERVED = ["favicon", "health", "invitation", "mcp", "socket"];

const OWN: ReadonlySet<string> = new Set([...PAGE_PATHS, ...NON_PAGE_PATH_SEGMENTS, ...RESERVED]);

/**
 * Returns true for a first path segment that the server itself uses. If an organization had such a segment as its
 * `urlKey`, links to the organization would lead elsewhere. An organization that had the `urlKey` before the segment
 * was reserved keeps the `urlKey`: organization links have three or more segments, and no path under the newly reserved
 * segments has three.
 */
export const isReservedPathSegment = (part: string): boolean => OWN.has(part);
