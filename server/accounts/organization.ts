import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database, Transaction } from "../../db/open.ts";
import { conflict, notFound } from "../errors.ts";
import { writeAuditEntry } from "./audit.ts";
import type { Account } from "./login/sign-up.ts";
import { buildMemberRow, setLastUsedOrganization } from "./members/member.ts";

/** An organization as the server shows the organization to members. */
interface Organization {
  id: string;
  name: string;
  urlKey: string;
}

/** Name, type and color of the default project statuses of a new organization, in order. */
const PROJECT_STATUSES = [
  ["Backlog", "backlog", "#bec2c8"],
  ["Planned", "planned", "#e2e2e2"],
  ["In Progress", "started", "#f2c94c"],
  ["Completed", "completed", "#5e6ad2"],
  ["Canceled", "canceled", "#95a2b3"],
] as const;

/**
 * Creates an organization with the account as its owner, a change counter and the default project statuses, but
 * without a team.
 * @throws conflict `url_key_taken` (409); notFound for an unknown account.
 */
export function createOrganization(
  db: Database,
  input: { accountId: string; name: string; urlKey: string },
): Promise<Organization & { userId: string }> {
  const organization = { id: uuidv7(), name: input.name, urlKey: input.urlKey };
  return db.transaction(async (trx) => {
    await insertOrganization(trx, organization);
    const known = knex("account").where({ id: input.accountId }).select("id", "name", "email");
    const [account] = await trx.query<Account>(toStatement(known));
    if (!account) throw notFound("account", input.accountId);
    await insertOwner(trx, organization.id, account);
    await setLastUsedOrganization(trx, account.id, organization.id);
    const { id: organizationId, urlKey } = organization;
    await writeAuditEntry(trx, {
      event: "organization.created",
      organizationId,
      accountId: account.id,
      detail: { urlKey },
    });
    return { ...organization, userId: account.id };
  });
}

/** Inserts the owner without an entry in the change log, because a new organization has no log and no followers. */
async function insertOwner(trx: Transaction, organizationId: string, account: Account): Promise<void> {
  const now = new Date();
  const row = { ...buildMemberRow(account, "owner"), organizationId, createdAt: now, updatedAt: now };
  await trx.query(toStatement(knex("user").insert(row)));
}

async function insertOrganization(trx: Transaction, { id, name, urlKey }: Organization): Promise<void> {
  const now = new Date();
  const times = { createdAt: now, updatedAt: now };
  const row = { id, name, urlKey, ...times };
  const inserted = await trx.query(toStatement(knex("organization").insert(row, "id").onConflict("urlKey").ignore()));
  if (inserted.length === 0) throw conflict(`urlKey is taken: ${urlKey}`, "url_key_taken", "urlKey");
  await trx.query(toStatement(knex("sync").insert({ organizationId: id, lastSyncId: 0, oldestSyncId: 0 })));
  const statuses = PROJECT_STATUSES.map(([status, type, color], position) => ({
    ...{ organizationId: id, id: uuidv7(), name: status, type, color, position },
    ...times,
  }));
  await trx.query(toStatement(knex("projectStatus").insert(statuses)));
}
