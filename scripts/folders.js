// @ts-check
/** The folders whose files become dist/, from the lowest up. */
export const SOURCES = ["formats", "redaction", "concurrency", "db", "server", "mcp", "cli", "web"];
