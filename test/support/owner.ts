import { randomUUID } from "node:crypto";
import { hash } from "@node-rs/argon2";
import { createIngestKey } from "../../server/accounts/keys/ingest-key.ts";
import { createPersonalKey } from "../../server/accounts/keys/personal-key.ts";
import { beginLogin } from "../../server/accounts/login/log-in.ts";
import { insertAccount } from "../../server/accounts/login/sign-up.ts";
import { tokenPair } from "../../server/accounts/login/tokens.ts";
import { createOrganization } from "../../server/accounts/organization.ts";
import type { Runtime } from "../../server/runtime.ts";
import { noteSecrets } from "./run/secrets.ts";

/** An organization of one member, its owner, with what opens it. */
export interface Owned {
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

/** The least that argon2id takes: a check reads the cost from the hash, so the logins of tests cost next to nothing. */
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Names for an owner and an organization that nobody else has. */
export const ownerOf = (mark: string) => ({
  email: `owner-${mark}@example.com`,
  password: `password ${mark}`,
  name: "Olive Owner",
  organization: "Acme",
  urlKey: `acme-${mark}`,
});

/** Makes an account with an organization, a login and both kinds of key by the functions behind the API, without HTTP. */
export async function makeOwned({ db, secret }: Runtime): Promise<Owned> {
  const { email, password, name, ...named } = ownerOf(randomUUID().slice(0, 13));
  const passwordHash = await hash(password, CHEAP);
  const account = await db.transaction((trx) => insertAccount(trx, { email, name, passwordHash }));
  const organization = { accountId: account.id, name: named.organization, urlKey: named.urlKey };
  const { id: organizationId, urlKey, userId } = await createOrganization(db, organization);
  const { accessToken, refreshToken } = await tokenPair(secret, await beginLogin(db, account, urlKey));
  const { token: apiKey } = await createPersonalKey(db, { organizationId, userId, label: "tests" });
  const { key: ingestKey } = await createIngestKey(db, { organizationId, userId, name: "tests" });
  noteSecrets({ password, accessToken, refreshToken, token: apiKey, key: ingestKey });
  return { email, password, name, accessToken, refreshToken, organizationId, urlKey, apiKey, ingestKey };
}
