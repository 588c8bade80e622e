import { randomUUID } from "node:crypto";
import { hash } from "@node-rs/argon2";
import { createIngestKey } from "../../server/accounts/keys/ingest-key.ts";
import { createPersonalKey } from "../../server/accounts/keys/personal-key.ts";
import { beginLogin } from "../../server/accounts/login/log-in.ts";
import { insertAccount } from "../../server/accounts/login/sign-up.ts";
import { signTokenPair } from "../../server/accounts/login/tokens.ts";
import { createOrganization } from "../../server/accounts/organization.ts";
import type { Runtime } from "../../server/runtime.ts";
import { noteSecrets } from "./run/secrets.ts";

/** Organization whose only member is the owner, with the owner's credentials. */
export interface OwnedOrganization {
  email: string;
  password: string;
  name: string;
  accessToken: string;
  refreshToken: string;
  organizationId: string;
  urlKey: string;
  apiKey: string;
  ingestKey: string;
}

/** Minimum cost of argon2id. A check reads the cost from the hash, so sign-ins in tests are cheap. */
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Creates unique names for an owner and an organization. */
export const createOwnerNames = (mark: string) => ({
  email: `owner-${mark}@example.com`,
  password: `password ${mark}`,
  name: "Olive Owner",
  organization: "Acme",
  urlKey: `acme-${mark}`,
});

/**
 * Creates an account with an organization, a login and both kinds of key through the functions behind the API,
 * without HTTP.
 */
export async function createOwnedOrganization({ db, secret }: Runtime): Promise<OwnedOrganization> {
  const { email, password, name, ...named } = createOwnerNames(randomUUID().slice(0, 13));
  const passwordHash = await hash(password, CHEAP);
  const account = await db.transaction((trx) => insertAccount(trx, { email, name, passwordHash }));
  const organization = { accountId: account.id, name: named.organization, urlKey: named.urlKey };
  const { id: organizationId, urlKey, userId } = await createOrganization(db, organization);
  const { accessToken, refreshToken } = await signTokenPair(secret, await beginLogin(db, account, urlKey));
  const { token: apiKey } = await createPersonalKey(db, { organizationId, userId, label: "tests" });
  const { key: ingestKey } = await createIngestKey(db, { organizationId, userId, name: "tests" });
  noteSecrets({ password, accessToken, refreshToken, token: apiKey, key: ingestKey });
  return { email, password, name, accessToken, refreshToken, organizationId, urlKey, apiKey, ingestKey };
}
