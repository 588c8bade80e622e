import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import type { Database } from "../../db/open.ts";
import { runCommand } from "../../server/admin/commands.ts";
import { SCANNED_TABLES, UNSCANNED_COLUMNS } from "../../server/admin/redact/columns.ts";
import { readTablesToScan, readTextColumnNames, type TableToScan } from "../../server/admin/redact/rows.ts";
import { storeScanPosition } from "../../server/jobs/organizations.ts";
import { ALNUM, random } from "../redaction/corpus/random.ts";
import { startOwnServer } from "../support/own-server.ts";
import { createEvent, createWriter } from "../support/recording/ingest.ts";
import { postHook, readHookFixture } from "../support/recording/observed-sessions.ts";
import { createOrganization, startSharedServer, waitUntilFolded } from "../support/server.ts";
import { createWorkspaceIn, type Workspace } from "../support/workspace.ts";

const SECRET = `ghp_${random(21).chars(ALNUM, 36)}`;
const MARK = /\[redacted:github-token:[0-9a-f]{4}\]/;
const SINCE = ["--since", "2020-01-01"];

type Cell = { name: string; type: string; isNullable: boolean; hasDefault: boolean };

/** Lists every column of a table. */
const cellsOf = (db: Database, table: string): Promise<Cell[]> =>
  db.query({
    text: `select a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as "isNullable", a.atthasdef as "hasDefault"
      from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    values: [`"${table}"`],
  });

/** Returns a value for a column whose content no test reads. */
function anyValue({ name, type }: Cell): unknown {
  if (type === "uuid") return uuidv7();
  if (type.endsWith("[]")) return "{}";
  if (type.startsWith("json")) return name === "attempts" ? "[]" : "{}";
  if (type.startsWith("timestamp") || type === "date") return new Date("2026-01-01");
  if (type === "boolean") return false;
  return type === "text" ? "x" : type === "bytea" ? Buffer.from(uuidv7()) : 1;
}

/** Makes sure that a table has a row of an organization. Foreign keys were dropped, so the row can have any values. */
async function ensureRow(db: Database, { name, tenant }: TableToScan, organizationId: string): Promise<void> {
  const known = await db.query({
    text: `select from "${name}" where "${tenant}" = $1 limit 1`,
    values: [organizationId],
  });
  if (known.length > 0) return;
  const cells = (await cellsOf(db, name)).filter((cell) => !cell.isNullable && !cell.hasDefault);
  const values = cells.map((cell) => (cell.name === tenant ? organizationId : anyValue(cell)));
  const names = cells.map((cell) => `"${cell.name}"`);
  const text = `insert into "${name}" (${names}) values (${names.map((_, at) => `$${at + 1}`)})`;
  await db.query({ text, values });
}

/** Returns SQL for a stored value that contains the secret. */
function planted(column: { name: string; type: string }): string {
  if (!column.type.startsWith("json")) return `'with ${SECRET} in it'`;
  if (column.name === "attempts") return `'[{"error": "refused ${SECRET}"}]'`;
  if (column.name === "models") return `'{"model ${SECRET}": 1}'`;
  return `(coalesce("${column.name}"::jsonb, '{}') || '{"note": {"list": ["with ${SECRET}"], "${SECRET}": 1}}')::${column.type}`;
}

/** Lists the tables in the whole catalog that contain a text, with the number of rows. */
async function tablesWith(db: Database, text: string): Promise<Record<string, number>> {
  const tables = await db.query<{ name: string }>({
    text: "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  });
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const query = `select count(*)::integer as count from "${name}" r where strpos(r::text, $1) > 0`;
    const [row] = await db.query<{ count: number }>({ text: query, values: [text] });
    if (row?.count) found[name] = row.count;
  }
  return found;
}

/** Creates rows in most tables, through the usual interfaces. */
async function fill(space: Workspace): Promise<void> {
  const { id: issueId } = await space.issue({ title: "One", description: "text" });
  await space.does("commentCreate", { input: { issueId, body: "text" } });
  const project = await space.does(
    "projectCreate",
    { input: { name: "P", teamIds: [space.teamId] } },
    "project { id }",
  );
  await space.does("projectMilestoneCreate", { input: { name: "M", projectId: project.project.id } });
  await space.does("issueLabelCreate", { input: { name: "L", teamId: space.teamId } });
  const cycle = { teamId: space.teamId, startsAt: "2026-02-01T00:00:00Z", endsAt: "2026-02-08T00:00:00Z" };
  await space.does("cycleCreate", { input: cycle });
  for (const name of ["01-session-start", "02-before-agent"])
    await postHook(space, "gemini-cli", readHookFixture(`gemini/${name}`)).catch(() => {});
  const failed = createEvent({
    primitive_name: "shell",
    primitive_type: "tool",
    success: false,
    result: "Error: refused",
  });
  const headers = { "x-api-key": space.ingestKey, "Content-Type": "application/json" };
  const body = JSON.stringify({ events: [failed, createEvent()] });
  await fetch(`${space.url}/api/v1/capture-events`, { method: "POST", headers, body });
  const session = { session_id: failed.session_id, user_data: { user_id: "u-1" }, metadata: { a: 1 } };
  await fetch(`${space.url}/api/v1/capture-session`, { method: "POST", headers, body: JSON.stringify(session) });
}

describe("npm run admin -- redact", () => {
  it("lists every column of text or JSON as searched, or as skipped for a reason", async () => {
    const { db } = (await startSharedServer()).runtime;
    const scanned = Object.entries(SCANNED_TABLES).flatMap(([table, { columns }]) =>
      columns.map((name) => `${table}.${name}`),
    );
    const kept = Object.entries(UNSCANNED_COLUMNS).flatMap(([table, columns]) =>
      Object.keys(columns).map((name) => `${table}.${name}`),
    );
    expect([...scanned, ...kept].sort()).to.deep.equal((await readTextColumnNames(db)).sort());
  });

  it("leaves no planted secret in any table, after a dry run", async () => {
    const { app, end } = await startOwnServer();
    try {
      const { db } = app.runtime;
      const space = await createWorkspaceIn(await createOrganization(app));
      const { organizationId } = space;
      await fill(space);
      await waitUntilFolded(app.runtime, organizationId);
      const links = await db.query<{ table: string; name: string }>({
        text: `select conrelid::regclass::text as table, conname as name from pg_constraint
          where contype = 'f' and connamespace = 'public'::regnamespace`,
      });
      for (const { table, name } of links) await db.query({ text: `alter table ${table} drop constraint "${name}"` });
      const all = await readTablesToScan(db);
      for (const target of all) await ensureRow(db, target, organizationId);
      for (const { name, tenant, columns } of all) {
        const set = columns.map((column) => `"${column.name}" = ${planted(column)}`);
        const text = `update "${name}" t set ${set} where ctid = (select min(ctid) from "${name}" where "${tenant}" = $1) returning 1`;
        expect(await db.query({ text, values: [organizationId] }), name).to.have.length(1);
      }
      const before = await tablesWith(db, SECRET.slice(8, 30));
      expect(Object.keys(before)).to.have.members(Object.keys(SCANNED_TABLES));
      const told = await runCommand(app.runtime, ["redact", ...SINCE]);
      for (const { name, columns } of all)
        for (const column of columns)
          expect(told).to.match(new RegExp(`^${name}\\.${column.name}: github-token \\d`, "m"));
      expect(await tablesWith(db, SECRET.slice(8, 30))).to.deep.equal(before);
      expect(await runCommand(app.runtime, ["redact", ...SINCE, "--apply"])).to.contain("The secrets were redacted");
      expect(await tablesWith(db, SECRET.slice(8, 30))).to.deep.equal({});
      expect(await runCommand(app.runtime, ["redact", ...SINCE, "--apply"])).to.equal("No secrets were found.");
      const issues = await space.gql(
        '{ issues { nodes { title description } } searchIssues(term: "redacted") { nodes { id } } }',
      );
      expect(issues.issues.nodes[0].title).to.match(MARK);
      const last = (await space.log()).at(-1);
      expect([last?.actor.type, Object.keys(last?.updatedFrom ?? {})]).to.deep.equal(["system", ["updatedAt"]]);
    } finally {
      await end();
    }
  });

  it("keeps the identity, counts of marks and failures of a redacted event", async () => {
    const writer = await createWriter();
    const { runtime } = await startSharedServer();
    const failed = { primitive_type: "tool", success: false, metadata: { b: 1, a: SECRET } };
    const event = createEvent({ ...failed, args: `use ${SECRET}`, result: `Error: refused ${SECRET}` });
    await writer.event(event);
    const text = `update recorded_event set args = $3, result = $4, message = $4, metadata = $5, redacted = null
      where organization_id = $1 and event_id = $2`;
    const values = [writer.organizationId, event.event_id, event.args, event.result, JSON.stringify(event.metadata)];
    await runtime.db.query({ text, values });
    const { organizationId } = writer;
    const name = {
      text: `insert into organization (id, name, "urlKey", "createdAt", "updatedAt") values ($1, 'o', gen_random_uuid()::text, now(), now())`,
      values: [organizationId],
    };
    await runtime.db.query(name);
    const run = (...more: string[]) =>
      runCommand(runtime, ["redact", ...SINCE, "--organization", organizationId, ...more]);
    expect(await run()).to.contain("recorded_event.args: github-token 1\n");
    // A run that stopped after this row continues only with later rows of the same time.
    const place = { at: "2020-01-01T00:00:00.000Z", id: JSON.stringify(["ffffffff-ffff-ffff-ffff-ffffffffffff"]) };
    await storeScanPosition(runtime.db, organizationId, "redact recorded_event", place);
    expect(await run("--apply")).not.to.contain("recorded_event");
    await run("--apply");
    const stored = await writer.storedEvent(event.event_id);
    expect(stored?.["redacted"]).to.deep.equal({ "github-token": 3 });
    expect(stored?.["message"]).to.match(MARK);
    expect((await writer.event(event)).status).to.equal(200);
    expect(await writer.count()).to.equal(1);
    const groups = {
      text: "select message from recorded_failure_group where organization_id = $1",
      values: [organizationId],
    };
    expect(await runtime.db.query(groups)).to.deep.equal([{ message: "refused ‹id›" }]);
  });

  it("refuses unknown or invalid arguments", async () => {
    const { runtime } = await startSharedServer();
    const refusal = (...args: string[]) => runCommand(runtime, ["redact", ...args]).catch((error) => error.message);
    expect(await refusal()).to.contain("--since takes a moment");
    expect(await refusal("--since", "yesterday")).to.contain("--since takes a moment");
    expect(await refusal(...SINCE, "--organization", "acme")).to.contain("no organization");
    expect(await refusal(...SINCE, "--all")).to.contain("--all");
  });
});
