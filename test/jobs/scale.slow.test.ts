import { join } from "node:path";
import { expect } from "chai";
import { fillScale } from "../../bench/scale/fill.ts";
import { OPERATIONS, type Operation } from "../../bench/scale/operations.ts";
import { fillPostgres } from "../../bench/scale/postgres.ts";
import { openDatabase, type Statement } from "../../db/open.ts";
import { createMissingIndexes } from "../../db/text/background-indexes.ts";
import type { App } from "../../server/app.ts";
import { countMarkedHours } from "../../server/jobs/analytics.ts";
import { createDirectory } from "../support/db/database.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { countStepRows, listPlanSteps, type PlanStep } from "../support/db/plan-rows.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { collectReads } from "../support/db/statements.ts";
import { sendGraphQL, startServer } from "../support/server.ts";

/** On the embedded engine, creating 100,000 issues takes 45 seconds. Set SCALE_ISSUES=100000 for that size. */
const issues = Number(process.env["SCALE_ISSUES"] ?? (process.env["TEST_DATABASE_URL"] ? 100_000 : 30_000));
const SIZE = { issues, events: 3 };
/**
 * Maximum rows of issues and of sessions that any step of a plan may read. The cost of a page must not grow with the
 * table.
 */
const MOST_ROWS = 15_000;
const MOST_SESSIONS = 2_000;
/** Maximum texts that a search for several common words may read. The index contains twice as many. */
const MOST_TEXTS = 8_000;
const MOST_SORTED = 10_000;
/** Maximum rows of a table that a plan may read completely. */
const SMALL_TABLE = 1_000;
/** Enough executions for PostgreSQL to choose a generic plan where the server allows a generic plan. */
const TIMES = 4;
const SHAPES =
  /^(newest|last updated|of a |mine|ready|(not )?updated since|with a label|nothing: [^t]|nothing: title$|sort (created|updated|priority|title|state$)|search (rare|three words|identifier|nothing)|sessions of no|sessions by|a (session|tool's)|tools of|(teams|projects|cycles|people) with|count of .* that stops)/;

describe("a database with many issues and sessions", () => {
  let app: App;
  let key: string;
  let fresh: Awaited<ReturnType<typeof createDatabase>> | undefined;

  before(async () => {
    fresh = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
    const DATA_DIR = join(createDirectory(), "data");
    // The database is filled before the server starts, because the server's jobs would count incomplete data.
    key = fresh ? await fillPostgres(fresh.url, SIZE) : await fillEmbedded(DATA_DIR);
    app = await startServer(fresh ? { DATABASE_URL: fresh.url } : { DATA_DIR });
    // The server's job builds these indexes within minutes of the start.
    await createMissingIndexes(app.runtime.db);
    await app.runtime.db.query({ text: "analyze" });
  });

  after(async () => {
    await app.close();
    await fresh?.drop();
  });

  it("finds a team's ready issues in the team's index, not in the index of all issues", async () => {
    const [operation] = OPERATIONS.filter(({ name }) => name === "ready, of a team");
    const [statement] = await lastStatements(operation as Operation);
    const used = listPlanSteps(await planOf(statement as Statement)).flatMap((step) => step["Index Name"] ?? []);
    expect(used).to.include("issue_ready_team");
  });

  for (const operation of OPERATIONS.filter(({ name }) => SHAPES.test(name))) {
    it(`reads few rows for: ${operation.name}`, async () => {
      const statements = await lastStatements(operation);
      expect(statements).not.to.deep.equal([]);
      for (const statement of statements) {
        const plan = listPlanSteps(await planOf(statement));
        const worst = plan.sort((one, other) => countStepRows(other) - countStepRows(one))[0] as PlanStep;
        const most = operation.name.startsWith("sessions") ? MOST_SESSIONS : MOST_ROWS;
        expect(countStepRows(worst), JSON.stringify({ ...worst, Plans: undefined })).to.be.at.most(most);
        if (operation.name === "search three words")
          expect(
            Math.max(...plan.filter(({ "Relation Name": table }) => table).map(countStepRows)),
            "texts",
          ).to.be.at.most(MOST_TEXTS);
        expect(plan.filter(readsWholeTable), "tables read whole").to.deep.equal([]);
        expect(plan.filter(sortsMany), "large sorts").to.deep.equal([]);
      }
    });
  }

  it("counts 100,000 issues by group, and refuses to count more", async function () {
    if (issues !== 100_000) this.skip();
    const count = (filter: object) =>
      sendGraphQL(app.url, key, {
        query:
          "query ($filter: IssueFilter) { issueGroups(groupBy: state, filter: $filter, includeArchived: true) { count groups { count } } }",
        variables: { filter },
      });
    const { count: counted, groups } = (await count({})).data.issueGroups;
    expect(counted).to.equal(issues);
    expect(groups.reduce((sum: number, each: { count: number }) => sum + each.count, 0)).to.equal(issues);
    const { teams } = (await sendGraphQL(app.url, key, { query: "{ teams(first: 1) { nodes { id } } }" })).data;
    const query = `mutation { issueCreate(input: { teamId: "${teams.nodes[0].id}", title: "One more" }) { success } }`;
    await sendGraphQL(app.url, key, { query });
    const [refusal] = (await count({})).errors ?? [];
    expect(refusal?.message).to.match(/^more than 100000 issues pass, too many to count; ask for fewer/);
    expect(refusal?.extensions).to.include({ code: "INPUT_ERROR", field: "filter" });
    expect((await count({ team: { id: { eq: teams.nodes[0].id } } })).errors).to.equal(undefined);
  });

  /**
   * Returns the statements of the last round. On a busy machine, a search gives the index up, and a third statement
   * reads the newest texts.
   */
  async function lastStatements({ name, query, variables }: Operation): Promise<Statement[]> {
    let last: Statement[] = [];
    for (let round = 0; round < TIMES; round += 1) {
      last = await collectReads(app, async () => {
        const reply = await sendGraphQL(app.url, key, { query, variables: variables?.(round) });
        expect(reply.errors).to.equal(undefined);
      });
    }
    return name.startsWith("search") ? last.slice(0, 2) : last;
  }

  /** A named statement is explained with the generic plan, which PostgreSQL may choose at any time. */
  const planOf = ({ text, name, values = [] }: Statement): Promise<PlanStep> =>
    app.runtime.db.transaction(async (trx) => {
      const mode = name === undefined ? "force_custom_plan" : "force_generic_plan";
      await trx.query({ text: `set local plan_cache_mode = ${mode}` });
      await trx.query({ text: `prepare explained as ${text}` });
      const call = values.length > 0 ? `explained(${values.map(literal).join()})` : "explained";
      const [row] = await trx.query<{ "QUERY PLAN": [{ Plan: PlanStep }] }>({
        text: `explain (analyze, format json) execute ${call}`,
      });
      await trx.query({ text: "deallocate explained" });
      return row?.["QUERY PLAN"][0].Plan as PlanStep;
    });
});

async function fillEmbedded(dataDir: string): Promise<string> {
  copyEmptyDatabase(dataDir);
  const db = await openDatabase({ dataDir, poolSize: 1 });
  const key = await db.as("upkeep", () => fillScale((text) => db.query({ text }), SIZE));
  await db.as("upkeep", () => countMarkedHours(db));
  await db.close();
  return key;
}

const readsWholeTable = (step: PlanStep): boolean =>
  step["Node Type"] === "Seq Scan" && countStepRows(step) > SMALL_TABLE;

const sortsMany = ({ "Node Type": type, Plans: [input] = [] }: PlanStep): boolean =>
  type === "Sort" && input !== undefined && countStepRows(input) > MOST_SORTED;

/** Returns a parameter's value as an SQL literal. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  const text = Array.isArray(value) ? `{${value.map((each) => JSON.stringify(each)).join()}}` : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}
