import type { App } from "../../server/app.ts";
import { createDatabase } from "./db/postgres.ts";
import { startServer } from "./server.ts";

/**
 * Starts a server over an empty database of its own, on either engine; `end` closes the server and drops the
 * database.
 */
export async function startOwnServer(env: Record<string, string> = {}): Promise<{ app: App; end(): Promise<void> }> {
  const fresh = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
  const app = await startServer({ ...env, ...(fresh && { DATABASE_URL: fresh.url }) });
  const end = async () => {
    await app.close();
    await fresh?.drop();
  };
  return { app, end };
}
