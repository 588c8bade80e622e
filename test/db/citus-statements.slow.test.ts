import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { citusUrl, createCitusDatabase, dropCitusDatabase, runDistribute } from "../support/db/citus.ts";
import { type CollectedStatement, readStatements } from "../support/db/collect-statements.ts";

const folder = process.env["TEST_STATEMENTS"];

/** Statements that cannot run alone, with the reason and the test that runs the statement on Citus. */
const NOT_RUN: readonly { text?: RegExp; place?: RegExp; reason: string; test: string }[] = [
  {
    text: /^(begin|commit|rollback|savepoint|release|set|show|listen|unlisten|notify)\b(?!.*; *copy )/i,
    reason: "no statement that is planned",
    test: "test/db/two-servers.test.ts",
  },
  { text: /(^|; *)copy\b/i, reason: "COPY takes its rows from the client", test: "test/observe/observe-copy.test.ts" },
  {
    text: /^(create|alter|drop|truncate|analyze|vacuum|lock)\b/i,
    reason: "DDL, or no part of a transaction",
    test: "test/db/citus-touched.slow.test.ts",
  },
  {
    place: /^server\/admin\/backup\/restore\.ts:/,
    reason: "a restore refuses a distributed database",
    test: "test/db/citus-restore.slow.test.ts",
  },
];

/**
 * SQLSTATE or message of a statement that Citus accepted and that failed only because the database is empty. TW is
 * the class of db/checks.ts. 0A000 and similar codes, such as 42601 for SQL that Citus generated, mean that Citus
 * refused the statement.
 */
const TAKEN = /^(22|23|TW)|^XX000 .* violates .* constraint/;

/** Runs a statement in a transaction that is rolled back. @returns the error of Citus, if it refuses the statement */
async function refusalOf(
  client: pg.Client,
  { text, values }: Omit<CollectedStatement, "place">,
): Promise<string | undefined> {
  const given = values.map((value) =>
    value !== null && typeof value === "object" ? Buffer.from(value.bytes, "base64") : value,
  );
  await client.query("begin");
  try {
    await client.query(given.length > 0 ? { text, values: given } : text);
    return undefined;
  } catch (error) {
    const { code = "", message, detail } = error as pg.DatabaseError;
    const refusal = [code, message, detail].filter(Boolean).join(" ");
    return TAKEN.test(refusal) ? undefined : refusal;
  } finally {
    await client.query("rollback");
  }
}

/** An array with a single id. */
const ONE_ID = /^\{"?([0-9a-f-]{36})"?\}$/;

/**
 * Runs a statement that was sent with a single organization (or other id) with several ids. Citus forwards a
 * statement about one organization to its node unchanged, and plans a statement about several organizations anew.
 */
async function refusalOfSeveral(client: pg.Client, { text, values }: CollectedStatement): Promise<string | undefined> {
  const several = values.map((value) =>
    typeof value === "string" ? value.replace(ONE_ID, `{$1,${randomUUID()}}`) : value,
  );
  if (several.every((value, at) => value === values[at])) return undefined;
  return refusalOf(client, { text, values: several });
}

(citusUrl && folder ? describe : describe.skip)("on Citus, the statements collected from all tests", () => {
  let database: string;
  let client: pg.Client;

  before(async () => {
    database = await createCitusDatabase(`statements_${randomUUID().slice(0, 8)}`);
    runDistribute(database, "--apply");
    client = new pg.Client(database);
    await client.connect();
    await client.query("set statement_timeout = '15s'");
  });

  after(async () => {
    await client?.end();
    await dropCitusDatabase(database);
  });

  it("are all accepted", async () => {
    const all = readStatements(folder ?? "");
    const some = all.filter(
      (statement) =>
        !NOT_RUN.some(({ text, place }) => text?.test(statement.text.trim()) || place?.test(statement.place)),
    );
    const refused: string[] = [];
    for (const statement of some) {
      const refusal = (await refusalOf(client, statement)) ?? (await refusalOfSeveral(client, statement));
      if (refusal)
        refused.push(`${statement.place}: ${refusal}\n    ${statement.text.replaceAll(/\s+/g, " ").slice(0, 300)}`);
    }
    console.log(`      ${some.length} statements run, ${all.length - some.length} not`);
    expect(refused, refused.join("\n")).to.deep.equal([]);
    expect(some.length).to.be.greaterThan(500);
  });

  it("are refused if a subquery over several organizations names no column (control)", async () => {
    const text =
      'select hash, exists (select from recorded_tombstone where organization_id = any($1::uuid[])) from "ingestKey"';
    // Citus accepts the statement if all organizations are in one shard, which is possible with two of them.
    const organizations = Array.from({ length: 20 }, () => randomUUID());
    const refusal = await refusalOf(client, { text, values: [`{${organizations}}`] });
    expect(refusal).to.contain("column definition list");
  });
});
