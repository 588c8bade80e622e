import { randomUUID } from "node:crypto";
import { DatabaseOpenError } from "../errors/cannot-open.ts";
import { OLD_POOLER_FIX, withClient } from "./connect.ts";

const VARIABLE = "DATABASE_URL";
/**
 * Number of tries of the check. One try may fail to detect an old pooler, because another client may use the connection
 * between the two steps of the try.
 */
const TRIES = 3;

/**
 * Checks that DATABASE_URL supports prepared statements. A transaction pooler gives the connection of one client to the
 * next client. With pgbouncer before 1.21, or with max_prepared_statements = 0, a client then sees the statements of
 * other clients; newer versions rename the statements, and PostgreSQL itself never shows them.
 * @throws DatabaseOpenError if one client sees the prepared statement of another
 */
export const checkPooler = (url: string): Promise<void> =>
  withClient(url, VARIABLE, (first) =>
    withClient(url, VARIABLE, async (second) => {
      for (let tried = 0; tried < TRIES; tried += 1) {
        const name = `probe ${randomUUID()}`;
        await first.query({ name, text: "select 1" });
        const { rows } = await second.query("select from pg_prepared_statements where name = $1", [name]);
        if (rows.length > 0) throw new DatabaseOpenError(`${VARIABLE}: ${OLD_POOLER_FIX}`);
      }
    }),
  );
