import { z } from "zod";
import { audit } from "../../accounts/audit.ts";
import { conflict } from "../../errors.ts";
import { update } from "../../write/change.ts";
import { target } from "../../write/find.ts";
import type { Write } from "../../write/write.ts";
import { kept, name } from "../fields.ts";
import { requireOwner } from "../owner.ts";

/** What of the organization can change. */
export const OrganizationUpdateInput = z.strictObject({
  name: name.nullish(),
  urlKey: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, "must be 1 to 64 lower-case letters, digits or hyphens")
    .nullish(),
});
type OrganizationUpdate = z.infer<typeof OrganizationUpdateInput>;

/** Changes the organization. Owners only; it is not in the change log but in the audit. */
export async function organizationUpdate(write: Write, input: OrganizationUpdate) {
  requireOwner(write);
  const { organizationId, userId } = write.scope;
  const before = await target(write, "Organization", organizationId);
  const { urlKey } = input;
  const renamed = urlKey && urlKey !== before.urlKey;
  if (renamed) await checkUrlKey(write, urlKey);
  const previous = before.previousUrlKeys as string[];
  const changed = update(write, "Organization", before, {
    name: kept(input.name),
    urlKey: kept(urlKey),
    ...(renamed && { previousUrlKeys: [...previous.filter((key) => key !== urlKey), String(before.urlKey)] }),
  });
  if (changed) {
    await audit(write.trx, { event: "organization.updated", organizationId, accountId: userId, detail: { ...input } });
  }
  return { id: organizationId };
}

async function checkUrlKey(write: Write, urlKey: string): Promise<void> {
  const [taken] = await write.trx.query({
    text: `select 1 from organization where "urlKey" = $1 and id <> $2`,
    values: [urlKey, write.scope.organizationId],
  });
  if (taken) throw conflict(`urlKey is taken: ${urlKey}`, "url_key_taken", "urlKey");
}
