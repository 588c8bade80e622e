import pg from "pg";
import { explainConnectionError, readErrorCode } from "../../formats/causes.ts";
import { toDisplayUrl } from "../../formats/secret-url.ts";
import { DatabaseOpenError } from "../errors/cannot-open.ts";

/**
 * Returns the driver's settings for a URL. The time zone is an option of the start-up message, because a SET would be
 * session state. The read timeout is the last resort against a network that drops packets; other limits end statements
 * earlier.
 */
export function buildClientSettings(url: string): pg.ClientConfig {
  const parsed = new URL(url);
  const options = [parsed.searchParams.get("options"), "-c TimeZone=UTC"].filter(Boolean).join(" ");
  parsed.searchParams.delete("options");
  // In these modes, the driver verifies the certificate in the same way as with `verify-full`. A later release of the
  // driver will verify less. Setting `verify-full` keeps the strict check after an upgrade of the driver.
  const mode = parsed.searchParams.get("sslmode") ?? "";
  if (["prefer", "require", "verify-ca"].includes(mode) && parsed.searchParams.get("uselibpqcompat") !== "true")
    parsed.searchParams.set("sslmode", "verify-full");
  return {
    connectionString: parsed.href,
    options,
    application_name: "trackway",
    connectionTimeoutMillis: 3_000,
    query_timeout: 65_000,
    keepAlive: true,
  };
}

/**
 * Suggested fix if a transaction pooler gives one client the prepared statements of another client, or rejects
 * connection options.
 */
export const OLD_POOLER_FIX =
  "the pooler before PostgreSQL is too old, or its max_prepared_statements is 0; use pgbouncer 1.21 or newer with " +
  "max_prepared_statements = 200, or an address of PostgreSQL itself";

/** pgbouncer before 1.20 rejects the options of a connection. */
const refusesOptions = (error: unknown): boolean =>
  error instanceof Error && /unsupported startup parameter: options/.test(error.message);

/**
 * Runs `work` with a separate connection. Converts a failure to a DatabaseOpenError whose one-line message names the variable
 * and the fix.
 */
export async function withClient<T>(
  url: string,
  variable: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  let client: pg.Client | undefined;
  try {
    // The constructor reads the certificate files, and fails if a file is missing.
    client = new pg.Client({ ...buildClientSettings(url), query_timeout: undefined });
    client.on("error", () => {});
    await client.connect();
    return await work(client);
  } catch (error) {
    if (error instanceof DatabaseOpenError) throw error;
    if (refusesOptions(error)) throw new DatabaseOpenError(`${variable}: ${OLD_POOLER_FIX}`, { cause: error });
    throw new DatabaseOpenError(`${variable}: ${explain(url, variable, error)}`, { cause: error });
  } finally {
    await client?.end().catch(() => {});
  }
}

/** Explains why PostgreSQL at a URL cannot be used, with the fix if there is a known one. */
function explain(url: string, variable: string, error: unknown): string {
  const path: unknown = error instanceof Error ? Reflect.get(error, "path") : undefined;
  if (typeof path === "string")
    return `the file ${path} that it names cannot be read (${readErrorCode(error)}); correct it`;
  const start = `start PostgreSQL, or correct ${variable}`;
  const { what, cure, code } = explainConnectionError(error, { variable, start, isDatabase: true });
  const shown = toDisplayUrl(url);
  // If the URL cannot be shown safely, the message of the error is left out too. Messages of the system and the driver
  // repeat the host, and the host may be part of the password.
  if (!shown) return `PostgreSQL does not serve (${code || "no code"}); check that the password is percent-encoded`;
  // PostgreSQL's message for a wrong password only repeats the user.
  const reason = error instanceof Error && code !== "28P01" ? error.message : "";
  const said = [what, reason, code].filter((text, at, all) => text && all.indexOf(text) === at).join("; ");
  return `PostgreSQL does not serve ${shown} (${said})${cure ? `; ${cure}` : ""}`.replaceAll(/\s*\n\s*/g, " ");
}
