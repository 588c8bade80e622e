/** First parts of the paths of the web app's pages. */
export const PAGES = [
  ...["connect", "inbox", "sessions", "failures", "usage", "tools", "users"],
  ...["issues", "projects", "cycles", "settings"],
] as const;

/** First parts of the paths that programs request. */
export const PROGRAMS = ["api", "assets", "docs", "graphql", "metrics", "oauth", "sdk", "v1"] as const;

/** Nothing is served at these yet, or another server is behind them. */
const RESERVED = ["favicon", "health", "invitation", "mcp", "socket"];

const OWN: ReadonlySet<string> = new Set([...PAGES, ...PROGRAMS, ...RESERVED]);

/**
 * True for the first part of the server's own paths: as the urlKey of an organization it would lead elsewhere. Organizations
 * that had such a urlKey before it was reserved keep it: their links have three parts or more, and no path of these has.
 */
export const isOwnPath = (part: string): boolean => OWN.has(part);
