import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { removeMember } from "../../accounts/members/member.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { inputError } from "../../errors.ts";
import { deleteOrganization, removeOrganization } from "../../jobs/deletion.ts";
import { model } from "../../resources/index.ts";
import { systemScope } from "../../scope.ts";
import { update } from "../../write/change.ts";
import { find, target } from "../../write/find.ts";
import { mutate } from "../../write/mutate.ts";
import type { Means } from "../commands.ts";
import { FORGET_ACCOUNTS, nobody, renameInLog } from "./forget.ts";
import { findOrganizations, findRows, peopleSql, REWRITTEN, rewriteLog, rewriteSettings } from "./texts.ts";

/**
 * Deletes an organization with everything that carries its id. When this is cut off, a server goes on.
 * @throws inputError for an organization that there is not, or a name that was not repeated.
 */
export async function deleteOrganizationNamed(
  db: Database,
  urlKey: string,
  repeated: string | undefined,
): Promise<string> {
  const named = knex("organization").where({ urlKey, deletedAt: null }).select("id");
  const [organization] = await db.query<{ id: string }>(toStatement(named));
  if (!organization) throw inputError(`there is no organization ${urlKey}`);
  if (repeated !== urlKey)
    throw inputError(
      `this deletes ${urlKey} for good, with all that was recorded; to do so: delete-organization ${urlKey} ${urlKey}`,
    );
  await deleteOrganization(db, organization.id, urlKey);
  const counts = await removeOrganization(db, organization.id);
  return [...[...counts].map(([name, count]) => `${name}: ${count}`), `${urlKey} is deleted`].join("\n");
}

/** Entries of the change log that one statement goes through. */
const SLICE = 5_000;

interface Membership {
  organizationId: string;
  urlKey: string;
  userId: string;
  active: boolean;
  name: string;
}

/**
 * Deletes an account: its logins, keys, programs and memberships, and its name and address wherever they stand. What it
 * wrote stays, by a deleted user.
 * @throws inputError where there is none, where it was not repeated, or where an organization would have no owner
 */
export async function deleteAccount(means: Means, email: string, repeated: string | undefined): Promise<string> {
  const { db } = means;
  const named = await db.query<{ id: string }>(toStatement(knex("account").where({ email }).select("id")));
  const id = named[0]?.id;
  if (!id) throw inputError(`no account has the address ${email}`);
  if (repeated?.toLowerCase() !== email)
    throw inputError(`this deletes ${email} for good; to do so: delete-account ${email} ${email}`);
  const memberships = await membershipsOf(db, id);
  const ownerless = await ownerlessWithout(db, memberships);
  if (ownerless.length > 0)
    throw inputError(
      `${email} is the only owner of ${ownerless.join(", ")}; make another member one, or delete the organization`,
    );
  for (const membership of memberships) await forgetMember(means, membership);
  for (const author of await authorsOf(db, email)) await forgetAuthor(means, author);
  await forgetTexts(means, { email, memberships });
  await db.transaction(async (trx) => {
    await trx.query(toStatement(knex("deletedAccount").insert({ id, deletedAt: new Date() })));
    for (const { text } of FORGET_ACCOUNTS) await trx.query({ text });
  });
  credentialsRevoked(db);
  return `${email} is deleted; it was a member of ${memberships.length} organization(s). Backups that were made before still hold it.`;
}

const membershipsOf = (db: Database, accountId: string): Promise<Membership[]> =>
  db.query(
    toStatement(
      knex("user as u")
        .join("organization as o", "o.id", "u.organizationId")
        .where({ "u.accountId": accountId, "o.deletedAt": null })
        .join("account as a", "a.id", "u.accountId")
        .select("u.organizationId", "o.urlKey", "u.id as userId", "u.active", "a.name"),
    ),
  );

/** Organizations whose only owner it is. */
async function ownerlessWithout(db: Database, memberships: readonly Membership[]): Promise<string[]> {
  const ownerless: string[] = [];
  for (const { organizationId, urlKey, userId } of memberships) {
    const owners = knex("user").where({ organizationId, role: "owner", active: true }).select("id");
    const ids = (await db.query<{ id: string }>(toStatement(owners.limit(2)))).map(({ id }) => id);
    if (ids.length === 1 && ids[0] === userId) ownerless.push(urlKey);
  }
  return ownerless;
}

/** Ends a membership, and takes the name and the address out of it and out of the change log. */
async function forgetMember(means: Means, { organizationId, userId, active }: Membership): Promise<void> {
  await mutate(systemScope(means, organizationId), model, async (write) => {
    if (active) await removeMember(write, userId);
    update(write, "User", await target(write, "User", userId), nobody(userId), { forgets: true });
    return {};
  });
  await renamed(means.db, "user", organizationId, userId);
}

/** Somebody without an account who wrote what was imported, in one organization. */
interface Author {
  organizationId: string;
  id: string;
}

/** Imported authors that have an address. */
const authorsOf = (db: Database, email: string): Promise<Author[]> =>
  db.query(
    toStatement(
      knex("externalUser as e")
        .join("organization as o", "o.id", "e.organizationId")
        .whereRaw("lower(e.email) = ?", [email])
        .where({ "o.deletedAt": null })
        .select("e.organizationId", "e.id"),
    ),
  );

async function forgetAuthor(means: Means, { organizationId, id }: Author): Promise<void> {
  await mutate(systemScope(means, organizationId), model, async (write) => {
    update(write, "ExternalUser", await target(write, "ExternalUser", id), nobody(id), { forgets: true });
    return {};
  });
  await renamed(means.db, "externalUser", organizationId, id);
}

const OF_ONE = `p."organizationId" = $1 and c."organizationId" = $1 and p.id = $2 and c."lastSyncId" > $3 and c."lastSyncId" <= $4`;

/** Rows that one transaction rewrites: it holds the organization's writers back. */
const ROWS = 100;
/**
 * Raw SQL, as `peopleSql` is. The address of a person, $2, in every organization, and the name, $3, in the organizations $4 of
 * which the person was a member. $1 is one organization, or null for all.
 */
const PERSON =
  peopleSql(`select o.id as "organizationId", case when o.id = any($4::uuid[]) then $3::text end as name, $2::text as email
  from organization o where o."deletedAt" is null and ($1::uuid is null or o.id = $1)`);

/** Takes name and address out of texts that Trackway wrote itself, and out of settings. */
async function forgetTexts(means: Means, person: { email: string; memberships: readonly Membership[] }) {
  const { email, memberships } = person;
  const name = memberships[0]?.name ?? null;
  const ids = memberships.map(({ organizationId }) => organizationId);
  const valuesFor = (organizationId: string | null) => [organizationId, email, name, ids];
  for (const text of rewriteSettings(PERSON)) await inUpkeep(means.db, text, valuesFor(null));
  const found = await inUpkeep<{ id: string }>(means.db, findOrganizations(PERSON), valuesFor(null));
  for (const organizationId of new Set([...ids, ...found.map(({ id }) => id)])) {
    const values = valuesFor(organizationId);
    for (const rewriting of REWRITTEN) while (await rewriteSome(means, { organizationId, rewriting, values }));
    await overLog(means.db, organizationId, (from, to) => [
      rewriteLog(PERSON, `c."lastSyncId" > $5 and c."lastSyncId" <= $6`),
      [...values, from, to],
    ]);
  }
}

const inUpkeep = <Row>(db: Database, text: string, values: unknown[]): Promise<Row[]> =>
  db.as("upkeep", () => db.query<Row>({ text, values }));

interface Rewrite {
  organizationId: string;
  rewriting: (typeof REWRITTEN)[number];
  values: unknown[];
}

/** Rewrites some rows by a mutation, so that open pages, searches and caches follow. Returns whether there may be more. */
async function rewriteSome(means: Means, { organizationId, rewriting, values }: Rewrite): Promise<boolean> {
  const { entity, column } = rewriting;
  const rows = await inUpkeep<{ id: string; value: unknown }>(means.db, findRows(PERSON, rewriting, ROWS), values);
  if (rows.length === 0) return false;
  await mutate(systemScope(means, organizationId), model, async (write) => {
    for (const { id, value } of rows) {
      const row = await find(write, entity, id);
      if (row) update(write, entity, row, { [column]: value }, { forgets: true });
    }
    return {};
  });
  return rows.length === ROWS;
}

/** Takes the old names out of the change log. Every entry says who made it. */
async function renamed(db: Database, table: "user" | "externalUser", organizationId: string, id: string) {
  await overLog(db, organizationId, (from, to) => [renameInLog(table, OF_ONE), [organizationId, id, from, to]]);
}

/** Runs a statement over the change log of an organization, slice by slice. */
async function overLog(
  db: Database,
  organizationId: string,
  statement: (from: number, to: number) => [text: string, values: unknown[]],
): Promise<void> {
  const log = knex("sync").where({ organizationId }).select("oldestSyncId as oldest", "lastSyncId as last");
  const [extent] = await db.query<{ oldest: number; last: number }>(toStatement(log));
  for (let from = (extent?.oldest ?? 1) - 1; from < (extent?.last ?? 0); from += SLICE) {
    const [text, values] = statement(from, from + SLICE);
    await db.as("upkeep", () => db.query({ text, values }), organizationId);
  }
}
