import { uuidv7 } from "uuidv7";
import type { Database, Transaction } from "../../db/open.ts";
import { conflict, notFound } from "../errors.ts";
import { audit } from "./audit.ts";
import { memberRow } from "./member.ts";
import { rememberOrganization } from "./membership.ts";
import type { Account } from "./sign-up.ts";

/** An organization as its members see it. */
export interface Organization {
  id: string;
  name: string;
  urlKey: string;
}

/** Name, type and colour of the statuses a project can have in a new organization, in their order. */
const PROJECT_STATUSES = [
  ["Backlog", "backlog", "#bec2c8"],
  ["Planned", "planned", "#e2e2e2"],
  ["In Progress", "started", "#f2c94c"],
  ["Completed", "completed", "#5e6ad2"],
  ["Canceled", "canceled", "#95a2b3"],
] as const;

/**
 * Creates an organization with the account as its owner, its change counter and the default project statuses. No team.
 * @throws conflict `url_key_taken` (409); notFound for an unknown account.
 */
export function createOrganization(
  db: Database,
  input: { accountId: string; name: string; urlKey: string },
): Promise<Organization & { userId: string }> {
  const organization = { id: uuidv7(), name: input.name, urlKey: input.urlKey };
  return db.transaction(async (trx) => {
    await insertOrganization(trx, organization);
    const [account] = await trx.query<Account>({
      text: "select id, name, email from account where id = $1",
      values: [input.accountId],
    });
    if (!account) throw notFound("account", input.accountId);
    await insertOwner(trx, organization.id, account);
    await rememberOrganization(trx, account.id, organization.id);
    const { id: organizationId, urlKey } = organization;
    await audit(trx, { event: "organization.created", organizationId, accountId: account.id, detail: { urlKey } });
    return { ...organization, userId: account.id };
  });
}

/** Before its first change an organization has no log, and nobody to hear of one. */
async function insertOwner(trx: Transaction, organizationId: string, account: Account): Promise<void> {
  const { id, accountId, role, name, displayName, email } = memberRow(account, "owner");
  await trx.query({
    text: `insert into "user" ("organizationId", id, "accountId", role, name, "displayName", email, "createdAt", "updatedAt")
           values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
    values: [organizationId, id, accountId, role, name, displayName, email, new Date()],
  });
}

async function insertOrganization(trx: Transaction, { id, name, urlKey }: Organization): Promise<void> {
  const now = new Date();
  const inserted = await trx.query({
    text: `insert into organization (id, name, "urlKey", "createdAt", "updatedAt") values ($1, $2, $3, $4, $4)
           on conflict ("urlKey") do nothing returning id`,
    values: [id, name, urlKey, now],
  });
  if (inserted.length === 0) throw conflict(`urlKey is taken: ${urlKey}`, "url_key_taken", "urlKey");
  await trx.query({
    text: `insert into sync ("organizationId", "lastSyncId", "oldestSyncId") values ($1, 0, 0)`,
    values: [id],
  });
  await trx.query({
    text: `insert into "projectStatus" ("organizationId", id, name, type, color, position, "createdAt", "updatedAt")
           select $1, s.id, s.name, s.type, s.color, s.position - 1, $2, $2
             from unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) with ordinality
               as s(id, name, type, color, position)`,
    values: [
      id,
      now,
      PROJECT_STATUSES.map(() => uuidv7()),
      ...[0, 1, 2].map((column) => PROJECT_STATUSES.map((status) => status[column])),
    ],
  });
}
