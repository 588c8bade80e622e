import { createHmac } from "node:crypto";
import { knex, toStatement } from "../../../db/builder.ts";
import { decryptSecret } from "../../auth/secret.ts";
import type { Scope } from "../../scope.ts";
import type { MutationResult, WriteContext } from "../../write/write.ts";
import type { Mutation } from "../resource.ts";

interface Sealed {
  id: string;
  secretEncrypted: Buffer;
}

/**
 * Returns the secrets of an organization's webhooks by id, as JSON, because SQL cannot decrypt the secrets. Members
 * who are not owners get no secrets.
 */
export async function readWebhookSecretsJson(scope: Scope): Promise<string> {
  const { db, organizationId, role } = scope;
  if (role !== "owner") return "{}";
  const kept = knex("webhook").where({ organizationId }).select("id", "secretEncrypted");
  const rows = await db.as("read", () => db.query<Sealed>(toStatement(kept)));
  return JSON.stringify(Object.fromEntries(rows.map((row) => [row.id, opened(scope, row)])));
}

/** Returns the payload values that show the secret of one webhook, and of no other webhook in the payload. */
export const buildSecretPayload = (id: string, secret: string): MutationResult => ({
  id,
  values: { secret, secrets: JSON.stringify({ [id]: secret }) },
});

/**
 * Returns a mutation whose payload shows a secret. A replay with the same Idempotency-Key shows the secret again, but
 * never a later secret. If the secret has changed since, `replaced` decides the response.
 */
export function withSecretInPayload(
  each: Mutation,
  replaced: (result: MutationResult) => MutationResult = (result) => result,
): Mutation {
  return {
    ...each,
    async run(write, args) {
      const result = await each.run(write, args);
      const secret = result.values?.secret;
      return secret === undefined ? result : { ...result, kept: secretHash(write, String(secret)) };
    },
    async onReplay(write, { kept, ...result }) {
      const secret = await readWebhookSecret(write, String(result.id));
      if (secret === undefined || secretHash(write, secret) !== kept) return replaced(result);
      return buildSecretPayload(String(result.id), secret);
    },
  };
}

/**
 * Returns the hash of a secret. The hash is stored with the result, so that a replay recognizes whether the secret has
 * changed.
 */
const secretHash = ({ scope }: WriteContext, secret: string): string =>
  createHmac("sha256", scope.secret).update(secret).digest("base64url");

/** Returns the current secret of a webhook; undefined if no readable secret exists. */
export async function readWebhookSecret({ scope, trx }: WriteContext, id: string): Promise<string | undefined> {
  const { organizationId } = scope;
  const kept = knex("webhook").where({ organizationId, id }).select("id", "secretEncrypted");
  const [row] = await trx.query<Sealed>(toStatement(kept));
  return row && opened(scope, row);
}

/** Decrypts a secret. Undefined if the secret was encrypted with another secret of the server. */
function opened({ secret }: Scope, { id, secretEncrypted }: Sealed): string | undefined {
  try {
    return decryptSecret(secret, id, secretEncrypted);
  } catch {
    return undefined;
  }
}
