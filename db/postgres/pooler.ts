import { randomUUID } from "node:crypto";
import { CannotOpen } from "../errors/cannot-open.ts";
import { OLD_POOLER_FIX, withClient } from "./connect.ts";

const VARIABLE = "DATABASE_URL";
/** Number of tries, because another client may use the connection between the two steps of a try. */
const TRIES = 3;

/**
 * Checks that DATABASE_URL supports prepared statements. A transaction pooler gives the connection of one client to the next
 * client. pgbouncer 1.21 and newer renames prepared statements. With an older pgbouncer, a client sees the statements of
 * other clients. PostgreSQL itself never shows a client the statements of another client.
 * @throws CannotOpen if one client sees the prepared statement of another
 */
export const checkPooler = (url: string): Promise<void> =>
  withClient(url, VARIABLE, (first) =>
    withClient(url, VARIABLE, async (second) => {
      for (let tried = 0; tried < TRIES; tried += 1) {
        const name = `probe ${randomUUID()}`;
        await first.query({ name, text: "select 1" });
        const { rows } = await second.query("select from pg_prepared_statements where name = $1", [name]);
        if (rows.length > 0) throw new CannotOpen(`${VARIABLE}: ${OLD_POOLER_FIX}`);
      }
    }),
  );
