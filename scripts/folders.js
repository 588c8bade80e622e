// @ts-check
/** The folders whose files become dist/. Each folder imports only from earlier folders. */
export const SOURCES = ["formats", "system", "redaction", "concurrency", "db", "server", "mcp", "cli", "web"];
