import { randomBytes } from "node:crypto";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { createIngestKey } from "../accounts/keys/ingest-key.ts";
import { createPersonalKey } from "../accounts/keys/personal-key.ts";
import { signUp } from "../accounts/login/sign-up.ts";
import { mintWelcome } from "../accounts/login/welcome.ts";
import { createOrganization } from "../accounts/organization.ts";
import { hashPassword } from "../auth/password.ts";
import { model, mutations } from "../resources/index.ts";
import type { Runtime } from "../runtime.ts";
import { mutate } from "../write/mutate.ts";

/** The credentials of the owner of an empty database, shown once. */
export interface Owner {
  password: string;
  apiKey: string;
  ingestKey: string;
  /** The code of the link that signs the owner in. */
  code: string;
}

/** The e-mail address that the owner signs in with. */
export const EMAIL = "owner@trackway.local";

/**
 * Makes the owner with an organization, its first team and both kinds of key, or goes on where an earlier start ended.
 */
export async function makeOwner({ db, publicUrl, secret }: Runtime): Promise<Owner> {
  const password = randomBytes(12).toString("base64url");
  const accountId = await makeAccount(db, password);
  const { organizationId, userId } = await makeOrganization(db, accountId);
  const [team] = await db.query(toStatement(knex("team").limit(1).select("id")));
  if (!team) await makeTeam({ db, publicUrl, secret }, { organizationId, userId });
  const { key: ingestKey } = await createIngestKey(db, { organizationId, userId, name: "first start" });
  const { token: apiKey } = await createPersonalKey(db, { organizationId, userId, label: "first start" });
  return { password, apiKey, ingestKey, code: await mintWelcome(db, accountId) };
}

/** Makes the first team of an organization, on behalf of its owner. */
export async function makeTeam(
  means: Pick<Runtime, "db" | "publicUrl" | "secret">,
  owner: { organizationId: string; userId: string },
): Promise<void> {
  const scope = { ...means, ...owner, role: "owner", at: new Date() } as const;
  const input = { name: "Engineering", key: "ENG" };
  await mutate(scope, model, (write) => mutations.teamCreate?.run(write, { input }) ?? {});
}

async function makeAccount(db: Database, password: string): Promise<string> {
  const passwordHash = await hashPassword(password);
  const again = knex("account").where({ email: EMAIL }).update({ passwordHash }, "id");
  const [account] = await db.query<{ id: string }>(toStatement(again));
  return account?.id ?? (await signUp(db, { email: EMAIL, password, name: "Owner" })).id;
}

async function makeOrganization(db: Database, accountId: string): Promise<{ organizationId: string; userId: string }> {
  const [member] = await db.query<{ organizationId: string; userId: string }>(
    toStatement(knex("user").where({ accountId }).limit(1).select("organizationId", "id as userId")),
  );
  if (member) return member;
  const made = await createOrganization(db, { accountId, name: "My organization", urlKey: "local" });
  return { organizationId: made.id, userId: made.userId };
}
