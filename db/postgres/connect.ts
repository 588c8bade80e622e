import pg from "pg";
import { CannotOpen } from "../errors/cannot-open.ts";

/**
 * The driver's settings for a URL. The time zone rides on the start-up message: as a SET it would be session state.
 * The read time-out is the last resort against a network that swallows packets; everything else ends sooner.
 */
export function settings(url: string): pg.ClientConfig {
  const parsed = new URL(url);
  const options = [parsed.searchParams.get("options"), "-c TimeZone=UTC"].filter(Boolean).join(" ");
  parsed.searchParams.delete("options");
  return {
    connectionString: parsed.href,
    options,
    application_name: "trackway",
    connectionTimeoutMillis: 3_000,
    query_timeout: 65_000,
    keepAlive: true,
  };
}

/** Runs `work` over a connection of its own and turns a failure into one line that names the variable and the cure. */
export async function withClient<T>(
  url: string,
  variable: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...settings(url), query_timeout: undefined });
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    if (error instanceof CannotOpen) throw error;
    const reason = error instanceof Error ? error.message || String(Reflect.get(error, "code")) : String(error);
    throw new CannotOpen(
      `${variable}: PostgreSQL does not serve ${withoutPassword(url)} (${reason}); start it or correct the URL`,
      { cause: error },
    );
  } finally {
    await client.end().catch(() => {});
  }
}

/** The URL as it may be shown: passwords stand before the host or, rarely, among the parameters. */
function withoutPassword(url: string): string {
  const parsed = new URL(url);
  parsed.password = "";
  parsed.search = "";
  return parsed.href;
}
