import { expect } from "chai";
import { PartsFailedError } from "../../db/errors/parts.ts";
import { emptyTrash } from "../../server/jobs/trash.ts";
import { storedEntities } from "../../server/read/entity.ts";
import { entityModel } from "../../server/resources/index.ts";
import { citusUrl } from "../support/db/citus.ts";
import { startSharedServer } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A foreign key of the database: a column with the id of a row in the table `target`. */
interface ForeignKey {
  table: string;
  column: string;
  target: string;
}

const foreignKeys = async (): Promise<ForeignKey[]> => {
  const { runtime } = await startSharedServer();
  return runtime.db.query<ForeignKey>({
    text: `select c.conrelid::regclass::text as "table", a.attname as "column", c.confrelid::regclass::text as target
      from pg_constraint c join pg_class r on r.oid = c.conrelid cross join lateral unnest(c.conkey) k (attnum)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum
      where c.contype = 'f' and c.connamespace = 'public'::regnamespace
        and (a.attname <> 'organizationId' or array_length(c.conkey, 1) = 1) order by 1, 2`,
  });
};

const bare = (name: string): string => name.replaceAll('"', "");

/**
 * Foreign keys between tables outside of organizations. A job removes logins, grants and password links. Accounts are
 * never removed.
 */
const GLOBAL = new Set([
  ...["login.accountId", "refreshToken.loginId", "oauthToken.grantId", "welcome.accountId"],
  "passwordReset.accountId",
]);

/** Returns the fault of a foreign key's declaration, or undefined if the model declares the treatment of the rows. */
function undeclared({ table: from, column, target: to }: ForeignKey): string | undefined {
  const [table, target] = [bare(from), bare(to)];
  if (column === "organizationId" || GLOBAL.has(`${table}.${column}`)) return undefined;
  const entities = storedEntities(entityModel);
  const targetName = entities.find((each) => each.table === target)?.name;
  const entity = entities.find((each) => each.table === table);
  if (entity) {
    const links = Object.values(entity.one ?? {});
    if (links.some((link) => link.by === column && link.entity === targetName && link.onDelete)) return undefined;
    return `${table}.${column} refers to ${target}: declare a link with onDelete on the entity ${entity.name} in server/resources`;
  }
  if (entities.some((each) => each.name === targetName && each.dependentTables?.[table] === column)) return undefined;
  const pairs = entities.flatMap((each) => Object.values(each.many ?? {}).flatMap(({ through }) => through ?? []));
  if (pairs.some((each) => each.publishedAs && each.table === table && [each.from, each.to].includes(column)))
    return undefined;
  return `${table}.${column} refers to ${target}: declare ${table} on the entity ${targetName} in server/resources, as a link table or in dependentTables`;
}

describe("the permanent removal of a row", () => {
  it("has a declared effect for every foreign key of the database", async () => {
    const keys = await foreignKeys();
    expect(keys.length).to.be.greaterThan(30);
    expect(keys.flatMap((key) => undeclared(key) ?? [])).to.deep.equal([]);
  });

  it("names the file to edit if a foreign key has no declaration", () => {
    const said = undeclared({ table: "gadget", column: "projectId", target: "project" });
    expect(said).to.match(/gadget\.projectId refers to project: declare gadget on the entity Project/);
    expect(undeclared({ table: "issue", column: "ownerId", target: '"user"' })).to.match(/on the entity Issue/);
  });

  it("leaves the id in no row, except in tables that keep it on purpose", async () => {
    const space = await createWorkspace();
    const { ids, remove } = await linkedEverywhere(space);
    await remove();
    expect(await holders(space, ids)).to.deep.equal([]);
  });

  it("continues with the other rows when a row cannot be removed, and names that row", async () => {
    const space = await createWorkspace();
    const { runtime } = await startSharedServer();
    const issues = await Promise.all(Array.from({ length: 12 }, () => space.issue()));
    const ids = issues.map(({ id }) => String(id));
    for (const id of ids) await space.does("issueDelete", { id });
    const stuck = ids.slice(3, 5);
    let failed: unknown;
    await withBlocker(space, stuck, async () => {
      failed = await emptyTrash(runtime, Date.now() + 31 * DAY_MS).catch((error: unknown) => error);
    });
    if (!(failed instanceof PartsFailedError)) throw new Error("The job says nothing of the rows that stay.");
    const left = await Promise.all(
      ids.map(async (id) => ((await space.graphql(`{ issue(id: "${id}") { id } }`)).errors ? [] : [id])),
    );
    expect(left.flat().sort()).to.deep.equal([...stuck].sort());
    const told = failed.shown.flatMap(({ part: { id = "" } }) => (ids.includes(id) ? [id] : []));
    expect(told.sort()).to.deep.equal([...stuck].sort());
  });
});

/** Runs `work` while a foreign table refers to issues, so that the issues cannot be deleted. */
async function withBlocker(space: Workspace, ids: readonly string[], work: () => Promise<unknown>): Promise<void> {
  const { runtime } = await startSharedServer();
  const run = (text: string, values: unknown[] = []) => runtime.db.query({ text, values });
  await run(`create table blocker ("organizationId" uuid, "issueId" uuid)`);
  if (citusUrl) await run("select create_distributed_table('blocker', 'organizationId', colocate_with => 'issue')");
  await run(
    `alter table blocker add foreign key ("organizationId", "issueId") references issue ("organizationId", id)`,
  );
  try {
    for (const id of ids) await run("insert into blocker values ($1, $2)", [space.organizationId, id]);
    await work();
  } finally {
    await run("drop table blocker");
  }
}

/**
 * Creates a team, a project, a label, a cycle and issues with every kind of link, and returns a function that removes
 * all of them.
 */
async function linkedEverywhere(space: Workspace): Promise<{ ids: string[]; remove(): Promise<void> }> {
  const make = async (mutation: string, input: object, field: string): Promise<string> =>
    (await space.does(mutation, { input }, `${field} { id }`))[field].id;
  const teamId = await make("teamCreate", { name: "Going", key: "GO" }, "team");
  const labelId = await make("issueLabelCreate", { name: "g", teamId, isGroup: true }, "issueLabel");
  const child = await make("issueLabelCreate", { name: "c", teamId, parentId: labelId }, "issueLabel");
  const span = { startsAt: "2026-01-01T00:00:00Z", endsAt: "2026-01-02T00:00:00Z" };
  const cycleId = await make("cycleCreate", { teamId, ...span }, "cycle");
  const projectId = await make("projectCreate", { name: "P", teamIds: [teamId, space.teamId] }, "project");
  await make("webhookCreate", { url: "https://example.com/", teamId, resourceTypes: [] }, "webhook");
  const issue = (input: object) => make("issueCreate", { title: "An issue", teamId, ...input }, "issue");
  const parentId = await issue({ labelIds: [child], cycleId, projectId });
  const part = await issue({ parentId });
  const stays = await make("issueCreate", { title: "Stays", teamId: space.teamId, parentId, projectId }, "issue");
  const comment = await make("commentCreate", { issueId: parentId, body: "first" }, "comment");
  const answer = await make("commentCreate", { parentId: comment, body: "second" }, "comment");
  await space.does("commentResolve", { id: comment, resolvingCommentId: answer });
  const moved = await make("issueCreate", { title: "Moved", teamId: space.teamId }, "issue");
  await space.does("issueUpdate", { id: moved, input: { teamId } });
  const ids = [teamId, labelId, child, cycleId, parentId, part, comment, answer, moved];
  return {
    ids,
    async remove() {
      await space.does("teamDelete", { id: teamId });
      await emptyTrash((await startSharedServer()).runtime, Date.now() + 31 * DAY_MS);
      expect((await space.read(stays)).parent).to.equal(null);
    },
  };
}

/** Tables that keep removed rows on purpose: the change log and its readers, keys of deleted teams, client ids. */
const KEPT = new Set(["change", "delivery", "audit", "idempotency", "teamKey", "clientId"]);

/** Returns every table column that contains one of the ids. */
async function holders(space: Workspace, ids: readonly string[]): Promise<string[]> {
  const { runtime } = await startSharedServer();
  const columns = await runtime.db.query<{ table: string; column: string; list: boolean }>({
    text: `select c.relname as "table", a.attname as "column", t.typname = '_text' as list from pg_attribute a
      join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      join pg_type t on t.oid = a.atttypid and t.typname in ('uuid', '_text')
      where a.attnum > 0 and not a.attisdropped
        and exists (select 1 from pg_attribute o where o.attrelid = c.oid and o.attname = 'organizationId')`,
  });
  const found = columns
    .filter(({ table }) => !KEPT.has(table))
    .map(async ({ table, column, list }) => {
      const holds = list ? `"${column}" && $2::text[]` : `"${column}" = any($2::uuid[])`;
      const rows = await runtime.db.query({
        text: `select 1 from "${table}" where "organizationId" = $1 and ${holds}`,
        values: [space.organizationId, ids],
      });
      return rows.length > 0 ? [`${table}.${column}`] : [];
    });
  return (await Promise.all(found)).flat();
}
