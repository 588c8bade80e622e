import type { Knex } from "knex";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import type { RemovalSummary } from "../../../formats/removal.ts";
import { countRows } from "../../jobs/deletion.ts";
import type { RemovalPlan } from "../removal.ts";
import {
  type Confirmation,
  checkOrganizationsKeepAnOwner,
  findAccountByEmail,
  findOrganizationByKey,
  formatRowCounts,
  listMemberships,
} from "./deletion.ts";

/** Counts the rows that the deletion of an organization removes. @throws inputError for an unknown organization */
export async function planOrganizationDeletion(
  db: Database,
  urlKey: string,
  confirmed: Confirmation,
): Promise<RemovalPlan> {
  const { id, name, createdAt } = await findOrganizationByKey(db, urlKey);
  const counts = await countRows(db, id);
  const issues = knex("issue as i")
    .join("team as t", { "t.organizationId": "i.organizationId", "t.id": "i.teamId" })
    .where({ "i.organizationId": id });
  const sessions = knex("recorded_session").where({ organization_id: id });
  const organization = `${urlKey} (${name}), created ${createdAt.toISOString()}`;
  return {
    removals: [
      { count: 1, noun: "organization", first: organization, last: organization },
      await removalOf(db, "issue", {
        count: counts.get("issue") ?? 0,
        rows: issues.select({ line: knex.raw(`t.key || '-' || i.number || ' ' || i.title`) }),
        order: ["i.createdAt", "i.id"],
      }),
      await removalOf(db, "session", {
        count: counts.get("recorded_session") ?? 0,
        rows: sessions.select({ line: knex.raw(`session_id || ' of ' || "timestamp"`) }),
        order: ["timestamp", "session_id"],
      }),
    ],
    notes: ["Rows that arrive before the deletion are also deleted. Rows per table:", ...formatRowCounts(counts)],
    asks: confirmed.repeated === urlKey ? "never" : "always",
    args: ["delete-organization", urlKey, urlKey, confirmed.shownId ?? id],
    unasked: `delete-organization ${urlKey} ${urlKey}`,
  };
}

/** Rows of one kind in a plan: their number, and the query from which the plan shows the first and the last row. */
interface Shown {
  count: number;
  rows: Knex.QueryBuilder;
  order: string[];
}

async function removalOf(db: Database, noun: string, { count, rows, order }: Shown): Promise<RemovalSummary> {
  const at = async (direction: "asc" | "desc") => {
    const one = rows.clone().orderBy(order.map((column) => ({ column, order: direction })));
    return (await db.query<{ line: string }>(toStatement(one.limit(1))))[0]?.line ?? "";
  };
  return { count, noun, first: await at("asc"), last: await at("desc") };
}

/** Tables with an account's credentials, and the noun for a row of each table. */
const CREDENTIALS = { login: "login", apiKey: "personal key", oauthGrant: "connected app" } as const;

/** Counts the rows that the deletion of an account removes. @throws inputError as `deleteAccount` does */
export async function planAccountDeletion(db: Database, email: string, confirmed: Confirmation): Promise<RemovalPlan> {
  const { id, name, createdAt } = await findAccountByEmail(db, email);
  const memberships = await listMemberships(db, id);
  await checkOrganizationsKeepAnOwner(db, email, memberships);
  const account = `${email} (${name}), created ${createdAt.toISOString()}`;
  const places = memberships.map(({ urlKey }) => urlKey).sort();
  const users = knex("user").where({ accountId: id }).select("organizationId", "id");
  const credentials: RemovalSummary[] = [];
  for (const [table, noun] of Object.entries(CREDENTIALS)) {
    const rows =
      table === "login"
        ? knex(table).where({ accountId: id })
        : knex(table).whereIn(["organizationId", "userId"], users);
    const all = await db.query<{ id: string; createdAt: Date }>(
      toStatement(rows.orderBy("id").select("id", "createdAt")),
    );
    const line = (row: (typeof all)[number] | undefined) => (row ? `${row.id} of ${row.createdAt.toISOString()}` : "");
    credentials.push({ count: all.length, noun, first: line(all[0]), last: line(all.at(-1)) });
  }
  return {
    removals: [
      { count: 1, noun: "account", first: account, last: account },
      { count: places.length, noun: "membership", first: places[0] ?? "", last: places.at(-1) ?? "" },
      ...credentials,
    ],
    notes: ["Content of the account stays, with a deleted user as its author."],
    asks: confirmed.repeated?.toLowerCase() === email ? "never" : "always",
    args: ["delete-account", email, email, confirmed.shownId ?? id],
    unasked: `delete-account ${email} ${email}`,
  };
}
