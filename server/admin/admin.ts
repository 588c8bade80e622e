import type { ClientBase } from "pg";
import { hasCitus, placements } from "../../db/distribution/placement.ts";
import {
  databaseSetting,
  distributeStatements,
  FOREIGN_KEYS,
  type ForeignKey,
} from "../../db/distribution/statements.ts";
import { CannotOpen } from "../../db/errors/cannot-open.ts";
import { migrate } from "../../db/migrations/index.ts";
import { withClient } from "../../db/postgres/connect.ts";
import type { Config } from "../config.ts";
import { inputError } from "../errors.ts";
import { preflight } from "./preflight/preflight.ts";
import { cli, reach } from "./reach.ts";
import { usageOf } from "./usage.ts";

/** `npm run admin -- COMMAND` */
await cli(usageOf, async (config, args) => {
  // These work beneath what every other command opens, and migrates.
  if (args[0] === "preflight") return preflight(config, args.slice(1));
  if (args[0] === "distribute") return distribute(config, args.slice(1));
  const operator = await reach(config);
  try {
    return await operator.command(args);
  } finally {
    await operator.close();
  }
});

/**
 * Spreads the tables over the nodes of Citus, empty or filled. A second run does the rest after an upgrade. Without
 * `--apply` it changes nothing and lists its statements.
 * @returns the text to print. @throws inputError or CannotOpen where it cannot be done.
 */
async function distribute(config: Config, [flag]: string[]): Promise<string> {
  const url = config.DATABASE_DIRECT_URL ?? config.DATABASE_URL;
  if (!url) throw inputError("distribute needs DATABASE_URL: the embedded engine is one node");
  if (flag !== undefined && flag !== "--apply") throw inputError(`no option ${flag}; there is --apply`);
  return withClient(url, "DATABASE_URL", async (client) => {
    if (!(await hasCitus(client))) {
      throw new CannotOpen(
        "Citus is not installed in this database: create extension citus, add the nodes, and run this again",
      );
    }
    await refuseOtherServers(client);
    await migrate(client);
    const { rows } = await client.query<ForeignKey>(FOREIGN_KEYS);
    const moves = distributeStatements(await placements(client), rows);
    if (moves.length === 0) return "All tables are where they belong.";
    const statements = [databaseSetting(String(client.database)), ...moves];
    if (flag === undefined) return `${statements.join(";\n")};\n\nNothing was changed; add --apply to run this.`;
    for (const statement of statements) await client.query(statement);
    return `Done, in ${statements.length} statements.`;
  });
}

/** Foreign keys are off for the while: nobody else may write. Raw SQL: it reads the server's own views. */
async function refuseOtherServers(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ servers: number }>(
    `select count(*)::integer as servers from pg_stat_activity
      where datname = current_database() and application_name = 'trackway' and pid <> pg_backend_pid()`,
  );
  if (rows[0]?.servers) throw new CannotOpen(`stop the servers first: they hold ${rows[0].servers} connections`);
}
