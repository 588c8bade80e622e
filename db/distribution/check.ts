import type { ClientBase } from "pg";
import { CannotOpen } from "../errors/cannot-open.ts";
import { hasCitus, placements } from "./placement.ts";

/**
 * True when Citus distributes the tables over several nodes.
 * @throws CannotOpen when some are and others not, as after an upgrade that made a table
 */
export async function isDistributed(client: ClientBase): Promise<boolean> {
  if (!(await hasCitus(client))) return false;
  const tables = await placements(client);
  const misplaced = tables.filter(({ wanted, found }) => wanted !== found).map(({ name }) => name);
  if (tables.every(({ found }) => found === "local")) return false;
  if (misplaced.length === 0) return true;
  throw new CannotOpen(
    `DATABASE_URL: some tables are distributed by Citus and others are not (${misplaced.join(", ")}); ` +
      "run npm run admin -- distribute --apply",
  );
}
