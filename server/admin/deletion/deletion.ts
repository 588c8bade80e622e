import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { removeMember } from "../../accounts/members/member.ts";
import { invalidateCredentialCache } from "../../auth/credential-cache.ts";
import { inputError } from "../../errors.ts";
import { deleteOrganization, removeOrganizationRows } from "../../jobs/deletion.ts";
import { entityModel } from "../../resources/index.ts";
import { createSystemScope } from "../../scope.ts";
import { updateRow } from "../../write/change.ts";
import { findRow, findRowOrThrow } from "../../write/find.ts";
import { runMutationTransaction } from "../../write/mutate.ts";
import type { CommandContext } from "../commands.ts";
import { ACCOUNT_DELETION_STATEMENTS, buildDeletedUserValues, renamePeopleInChangeLogSql } from "./forget.ts";
import {
  organizationsToRewriteSql,
  personPatternsSubquerySql,
  rewriteChangeLogSql,
  rewriteSettingsSql,
  rowsToRewriteSql,
  TEXT_REWRITINGS,
} from "./texts.ts";

/** An organization or an account that the operator named. */
interface Named {
  id: string;
  name: string;
  createdAt: Date;
}

/** @throws inputError for an unknown organization */
export async function findOrganizationByKey(db: Database, urlKey: string): Promise<Named> {
  const named = knex("organization").where({ urlKey, deletedAt: null }).select("id", "name", "createdAt");
  const [organization] = await db.query<Named>(toStatement(named));
  if (!organization) throw inputError(`there is no organization ${urlKey}`);
  return organization;
}

/** The operator's confirmation: the repeated name, and the id of the entity that the command showed. */
export interface Confirmation {
  repeated: string | undefined;
  shownId?: string | undefined;
}

/** @throws inputError when the name now belongs to another organization or account than the command showed */
function checkShown(named: Named, name: string, { shownId }: Confirmation): void {
  if (shownId !== undefined && shownId !== named.id)
    throw inputError(
      `${name} now belongs to another organization or account than the command showed; nothing was deleted`,
    );
}

/**
 * Deletes an organization and all rows with its id. A server's job finishes an interrupted deletion.
 * @throws inputError for an unknown organization, or a name that was not repeated.
 */
export async function deleteOrganizationByKey(db: Database, urlKey: string, confirmed: Confirmation): Promise<string> {
  const organization = await findOrganizationByKey(db, urlKey);
  if (confirmed.repeated !== urlKey)
    throw inputError(
      `this deletes ${urlKey} and all its recorded data permanently; to confirm: delete-organization ${urlKey} ${urlKey}`,
    );
  checkShown(organization, urlKey, confirmed);
  await deleteOrganization(db, organization.id, urlKey);
  const counts = await removeOrganizationRows(db, organization.id);
  return [...formatRowCounts(counts), `${urlKey} is deleted`].join("\n");
}

/** Lines with the number of rows of each table. */
export const formatRowCounts = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts].map(([name, count]) => `${name}: ${count}`);

/** Number of entries of the change log that one statement processes. */
const SLICE = 5_000;

export interface Membership {
  organizationId: string;
  urlKey: string;
  userId: string;
  active: boolean;
  name: string;
}

/**
 * Deletes an account with its logins, keys, connected apps and memberships. Also removes the account's name and email
 * address wherever Trackway itself stores or wrote them, such as settings and the change log, but not from texts that
 * people typed. Content that the account wrote stays and shows a deleted user as the author.
 * @throws inputError for an unknown account, an address that was not repeated, or an only owner of an organization
 */
export async function deleteAccount(means: CommandContext, email: string, confirmed: Confirmation): Promise<string> {
  const { db } = means;
  const account = await findAccountByEmail(db, email);
  if (confirmed.repeated?.toLowerCase() !== email)
    throw inputError(`this deletes ${email} permanently; to confirm: delete-account ${email} ${email}`);
  checkShown(account, email, confirmed);
  const { id } = account;
  const memberships = await listMemberships(db, id);
  await checkOrganizationsKeepAnOwner(db, email, memberships);
  for (const membership of memberships) await forgetMember(means, membership);
  for (const author of await authorsOf(db, email)) await forgetAuthor(means, author);
  await forgetTexts(means, { email, memberships });
  await db.transaction(async (trx) => {
    await trx.query(toStatement(knex("deletedAccount").insert({ id, deletedAt: new Date() })));
    for (const { text } of ACCOUNT_DELETION_STATEMENTS) await trx.query({ text });
  });
  invalidateCredentialCache(db);
  return `${email} is deleted; it was a member of ${memberships.length} organization(s). Backups that were made before still hold it.`;
}

/** @throws inputError for an unknown account */
export async function findAccountByEmail(db: Database, email: string): Promise<Named> {
  const named = knex("account").where({ email }).select("id", "name", "createdAt");
  const [account] = await db.query<Named>(toStatement(named));
  if (!account) throw inputError(`no account has the address ${email}`);
  return account;
}

/** @throws inputError if the deletion would leave an organization without an owner */
export async function checkOrganizationsKeepAnOwner(
  db: Database,
  email: string,
  memberships: readonly Membership[],
): Promise<void> {
  const ownerless = await ownerlessWithout(db, memberships);
  if (ownerless.length > 0)
    throw inputError(
      `${email} is the only owner of ${ownerless.join(", ")}; make another member an owner, or delete the organization`,
    );
}

export const listMemberships = (db: Database, accountId: string): Promise<Membership[]> =>
  db.query(
    toStatement(
      knex("user as u")
        .join("organization as o", "o.id", "u.organizationId")
        .where({ "u.accountId": accountId, "o.deletedAt": null })
        .join("account as a", "a.id", "u.accountId")
        .select("u.organizationId", "o.urlKey", "u.id as userId", "u.active", "a.name"),
    ),
  );

/** URL keys of the organizations in which this account is the only owner. */
async function ownerlessWithout(db: Database, memberships: readonly Membership[]): Promise<string[]> {
  const ownerless: string[] = [];
  for (const { organizationId, urlKey, userId } of memberships) {
    const owners = knex("user").where({ organizationId, role: "owner", active: true }).select("id");
    const ids = (await db.query<{ id: string }>(toStatement(owners.limit(2)))).map(({ id }) => id);
    if (ids.length === 1 && ids[0] === userId) ownerless.push(urlKey);
  }
  return ownerless;
}

/** Ends a membership, and replaces the user's name and email address in the user row and in the change log. */
async function forgetMember(means: CommandContext, { organizationId, userId, active }: Membership): Promise<void> {
  await runMutationTransaction(createSystemScope(means, organizationId), entityModel, async (write) => {
    if (active) await removeMember(write, userId);
    updateRow(write, "User", await findRowOrThrow(write, "User", userId), buildDeletedUserValues(userId), {
      forgets: true,
    });
    return {};
  });
  await renamed(means.db, "user", organizationId, userId);
}

/** The external user who wrote imported content, in one organization. */
interface Author {
  organizationId: string;
  id: string;
}

/** Returns the external users whose email address is `email`, ignoring case. */
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

async function forgetAuthor(means: CommandContext, { organizationId, id }: Author): Promise<void> {
  await runMutationTransaction(createSystemScope(means, organizationId), entityModel, async (write) => {
    updateRow(write, "ExternalUser", await findRowOrThrow(write, "ExternalUser", id), buildDeletedUserValues(id), {
      forgets: true,
    });
    return {};
  });
  await renamed(means.db, "externalUser", organizationId, id);
}

const OF_ONE = `p."organizationId" = $1 and c."organizationId" = $1 and p.id = $2 and c."lastSyncId" > $3 and c."lastSyncId" <= $4`;

/**
 * Maximum number of rows that one transaction rewrites. The number is small because the transaction blocks other
 * writers of the organization.
 */
const ROWS = 100;
/**
 * Raw SQL, because `personPatternsSubquerySql` is also raw SQL. $1 is one organization, or null for all organizations. $2 is the
 * person's email address, which is replaced in every organization. $3 is the person's name, which is replaced only in
 * the organizations $4, where the person was a member.
 */
const PERSON =
  personPatternsSubquerySql(`select o.id as "organizationId", case when o.id = any($4::uuid[]) then $3::text end as name, $2::text as email
  from organization o where o."deletedAt" is null and ($1::uuid is null or o.id = $1)`);

/** Removes the name and the email address from content that Trackway wrote, and from settings. */
async function forgetTexts(means: CommandContext, person: { email: string; memberships: readonly Membership[] }) {
  const { email, memberships } = person;
  const name = memberships[0]?.name ?? null;
  const ids = memberships.map(({ organizationId }) => organizationId);
  const valuesFor = (organizationId: string | null) => [organizationId, email, name, ids];
  for (const text of rewriteSettingsSql(PERSON)) await inUpkeep(means.db, text, valuesFor(null));
  const found = await inUpkeep<{ id: string }>(means.db, organizationsToRewriteSql(PERSON), valuesFor(null));
  for (const organizationId of new Set([...ids, ...found.map(({ id }) => id)])) {
    const values = valuesFor(organizationId);
    for (const rewriting of TEXT_REWRITINGS) while (await rewriteSome(means, { organizationId, rewriting, values }));
    await overLog(means.db, organizationId, (from, to) => [
      rewriteChangeLogSql(PERSON, `c."lastSyncId" > $5 and c."lastSyncId" <= $6`),
      [...values, from, to],
    ]);
  }
}

const inUpkeep = <Row>(db: Database, text: string, values: unknown[]): Promise<Row[]> =>
  db.as("upkeep", () => db.query<Row>({ text, values }));

interface Rewrite {
  organizationId: string;
  rewriting: (typeof TEXT_REWRITINGS)[number];
  values: unknown[];
}

/**
 * Rewrites up to `ROWS` rows with a mutation, so that open pages, the search index and caches are updated too. Returns
 * true if more rows may remain.
 */
async function rewriteSome(means: CommandContext, { organizationId, rewriting, values }: Rewrite): Promise<boolean> {
  const { entity, column } = rewriting;
  const rows = await inUpkeep<{ id: string; value: unknown }>(
    means.db,
    rowsToRewriteSql(PERSON, rewriting, ROWS),
    values,
  );
  if (rows.length === 0) return false;
  await runMutationTransaction(createSystemScope(means, organizationId), entityModel, async (write) => {
    for (const { id, value } of rows) {
      const row = await findRow(write, entity, id);
      if (row) updateRow(write, entity, row, { [column]: value }, { forgets: true });
    }
    return {};
  });
  return rows.length === ROWS;
}

/** Replaces the old name of a user in the change log, because every entry contains the name of its actor. */
async function renamed(db: Database, table: "user" | "externalUser", organizationId: string, id: string) {
  await overLog(db, organizationId, (from, to) => [
    renamePeopleInChangeLogSql(table, OF_ONE),
    [organizationId, id, from, to],
  ]);
}

type RangeStatement = (from: number, to: number) => [text: string, values: unknown[]];
/** Runs a statement over an organization's change log in slices. */
async function overLog(db: Database, organizationId: string, statement: RangeStatement): Promise<void> {
  const log = knex("sync").where({ organizationId }).select("oldestSyncId as oldest", "lastSyncId as last");
  const [extent] = await db.query<{ oldest: number; last: number }>(toStatement(log));
  for (let from = (extent?.oldest ?? 1) - 1; from < (extent?.last ?? 0); from += SLICE) {
    const [text, values] = statement(from, from + SLICE);
    await db.as("upkeep", () => db.query({ text, values }), organizationId);
  }
}
