import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { inputError } from "../../errors.ts";
import { deleteOrganization, removeOrganization } from "../../jobs/deletion/organizations.ts";

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
