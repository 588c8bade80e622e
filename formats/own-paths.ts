/** First path segments of the web app's pages. */
export const PAGE_PATHS = [
  ...["connect", "inbox", "sessions", "failures", "usage", "tools", "users"],
  ...["issues", "projects", "cycles", "settings"],
] as const;

/** First path segments that programs request. */
export const PROGRAM_PATHS = ["api", "assets", "docs", "graphql", "metrics", "oauth", "sdk", "v1"] as const;

/** Reserved path segments: Trackway serves nothing there yet, or another server handles the path. */
const RESERVED = ["favicon", "health", "invitation", "mcp", "socket"];

const OWN: ReadonlySet<string> = new Set([...PAGE_PATHS, ...PROGRAM_PATHS, ...RESERVED]);

/**
 * Returns true for the first segment of a path that the server itself uses. An organization with this `urlKey` would
 * have links that lead elsewhere. Organizations that had the `urlKey` before the segment was reserved keep the
 * `urlKey`: organization links have three or more segments, and no path under the newly reserved segments has three.
 */
export const isOwnPath = (part: string): boolean => OWN.has(part);
