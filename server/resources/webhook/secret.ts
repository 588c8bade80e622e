import { createHmac } from "node:crypto";
import { knex, toStatement } from "../../../db/builder.ts";
import { openSecret } from "../../auth/secret.ts";
import type { Scope } from "../../scope.ts";
import type { Result, Write } from "../../write/write.ts";
import type { Mutation } from "../resource.ts";

interface Sealed {
  id: string;
  secretEncrypted: Buffer;
}

/**
 * Returns the secrets of an organization's webhooks by id, as JSON, because SQL cannot decrypt the secrets. Members
 * who are not owners get no secrets.
 */
export async function readWebhookSecrets(scope: Scope): Promise<string> {
  const { db, organizationId, role } = scope;
  if (role !== "owner") return "{}";
  const kept = knex("webhook").where({ organizationId }).select("id", "secretEncrypted");
  const rows = await db.as("read", () => db.query<Sealed>(toStatement(kept)));
  return JSON.stringify(Object.fromEntries(rows.map((row) => [row.id, opened(scope, row)])));
}

/** Returns the payload values that show the secret of one webhook, and of no other webhook in the payload. */
export const secretPayloadValues = (id: string, secret: string): Result => ({
  id,
  values: { secret, secrets: JSON.stringify({ [id]: secret }) },
});

/**
 * Returns a mutation whose payload shows a secret. A replay with the same Idempotency-Key shows the secret again, but
 * never a later secret. If the secret has changed since, `replaced` decides the response.
 */
export function showingSecret(each: Mutation, replaced: (result: Result) => Result = (result) => result): Mutation {
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
      return secretPayloadValues(String(result.id), secret);
    },
  };
}

/** The stored hash by which a replay recognizes the secret. */
const secretHash = ({ scope }: Write, secret: string): string =>
  createHmac("sha256", scope.secret).update(secret).digest("base64url");

/** Returns the current secret of a webhook; undefined if no readable secret exists. */
export async function readWebhookSecret({ scope, trx }: Write, id: string): Promise<string | undefined> {
  const { organizationId } = scope;
  const kept = knex("webhook").where({ organizationId, id }).select("id", "secretEncrypted");
  const [row] = await trx.query<Sealed>(toStatement(kept));
  return row && opened(scope, row);
}

/** A secret that was encrypted with another server secret cannot be read. */
function opened({ secret }: Scope, { id, secretEncrypted }: Sealed): string | undefined {
  try {
    return openSecret(secret, id, secretEncrypted);
  } catch {
    return undefined;
  }
}
