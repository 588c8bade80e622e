import type { ClientBase } from "pg";
import { hasCitus, readPlacements } from "../../db/distribution/placement.ts";
import {
  buildDistributeStatements,
  buildShardModifyModeSql,
  FOREIGN_KEYS_SQL,
  type ForeignKey,
} from "../../db/distribution/statements.ts";
import { DatabaseOpenError } from "../../db/errors/cannot-open.ts";
import { migrate } from "../../db/migrations/index.ts";
import { withClient } from "../../db/postgres/connect.ts";
import type { Config } from "../config.ts";
import { inputError } from "../errors.ts";
import { validateCommandArguments } from "./commands.ts";
import { preflight } from "./preflight/preflight.ts";
import { connectToServerOrDatabase, runOperatorCommand } from "./reach.ts";
import { confirmRemovalPlan } from "./removal.ts";
import { getUsageText } from "./usage.ts";

/** `npm run admin -- COMMAND` */
await runOperatorCommand(getUsageText, async (config, args) => {
  // `preflight` and `distribute` connect to the database themselves. `connectToServerOrDatabase` would open the database and run
  // its migrations.
  if (args[0] === "preflight") return preflight(config, args.slice(1));
  if (args[0] === "distribute") return distribute(config, args.slice(1));
  checkUsage(args);
  const operator = await connectToServerOrDatabase(config);
  try {
    const plan = await operator.plan(args);
    return await operator.command(plan ? await confirmRemovalPlan(plan) : args);
  } finally {
    await operator.close();
  }
});

/** @throws inputError for invalid arguments; the exit code is then 2 */
function checkUsage(args: string[]): void {
  try {
    validateCommandArguments(args);
  } catch (error) {
    process.exitCode = 2;
    throw error;
  }
}

/**
 * Distributes the tables over the nodes of a Citus cluster. The tables may contain rows. After an upgrade, a second run
 * distributes the tables that are new. Without `--apply` the function only lists the statements and changes nothing.
 * @returns the text to print. @throws inputError or DatabaseOpenError when the tables cannot be distributed.
 */
async function distribute(config: Config, [flag]: string[]): Promise<string> {
  const url = config.DATABASE_DIRECT_URL ?? config.DATABASE_URL;
  if (!url) throw inputError("distribute needs DATABASE_URL: the embedded engine is one node");
  if (flag !== undefined && flag !== "--apply") throw inputError(`unknown option ${flag}; use --apply`);
  return withClient(url, "DATABASE_URL", async (client) => {
    if (!(await hasCitus(client))) {
      throw new DatabaseOpenError(
        "Citus is not installed in this database; run create extension citus, add the nodes, and run this command again",
      );
    }
    await refuseOtherServers(client);
    await migrate(client);
    const { rows } = await client.query<ForeignKey>(FOREIGN_KEYS_SQL);
    const moves = buildDistributeStatements(await readPlacements(client), rows);
    if (moves.length === 0) return "All tables are on the correct nodes.";
    const statements = [buildShardModifyModeSql(String(client.database)), ...moves];
    if (flag === undefined) return `${statements.join(";\n")};\n\nNothing was changed; add --apply to run this.`;
    for (const statement of statements) await client.query(statement);
    return `Done, in ${statements.length} statements.`;
  });
}

/**
 * Refuses to run while servers are connected, because foreign keys are dropped during the distribution. Raw SQL: reads
 * `pg_stat_activity`.
 */
async function refuseOtherServers(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ servers: number }>(
    `select count(*)::integer as servers from pg_stat_activity
      where datname = current_database() and application_name = 'trackway' and pid <> pg_backend_pid()`,
  );
  if (rows[0]?.servers) throw new DatabaseOpenError(`stop the servers first: they hold ${rows[0].servers} connections`);
}
