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

/** The secrets of an organization's webhooks by id, as JSON: SQL cannot open them. Nobody but owners gets any. */
export async function secretsOf(scope: Scope): Promise<string> {
  const { db, organizationId, role } = scope;
  if (role !== "owner") return "{}";
  const kept = knex("webhook").where({ organizationId }).select("id", "secretEncrypted");
  const rows = await db.as("read", () => db.query<Sealed>(toStatement(kept)));
  return JSON.stringify(Object.fromEntries(rows.map((row) => [row.id, opened(scope, row)])));
}

/** The values of a payload that shows the secret of one webhook, and of no other that stands in it. */
export const tellingOf = (id: string, secret: string): Result => ({
  id,
  values: { secret, secrets: JSON.stringify({ [id]: secret }) },
});

/**
 * A mutation whose payload shows a secret. A replay with the same Idempotency-Key shows it again, but never another that
 * took its place since: then `replaced` decides what is answered.
 */
export function tellingSecret(each: Mutation, replaced: (result: Result) => Result = (result) => result): Mutation {
  return {
    ...each,
    async run(write, args) {
      const result = await each.run(write, args);
      const secret = result.values?.secret;
      return secret === undefined ? result : { ...result, kept: secretHash(write, String(secret)) };
    },
    async onReplay(write, { kept, ...result }) {
      const secret = await secretOf(write, String(result.id));
      if (secret === undefined || secretHash(write, secret) !== kept) return replaced(result);
      return tellingOf(String(result.id), secret);
    },
  };
}

/** Stored instead of the secret, to recognize it. */
const secretHash = ({ scope }: Write, secret: string): string =>
  createHmac("sha256", scope.secret).update(secret).digest("base64url");

/** The secret of a webhook at this moment; undefined when there is none that can be read. */
export async function secretOf({ scope, trx }: Write, id: string): Promise<string | undefined> {
  const { organizationId } = scope;
  const kept = knex("webhook").where({ organizationId, id }).select("id", "secretEncrypted");
  const [row] = await trx.query<Sealed>(toStatement(kept));
  return row && opened(scope, row);
}

/** A secret that was sealed under another secret of the server cannot be read. */
function opened({ secret }: Scope, { id, secretEncrypted }: Sealed): string | undefined {
  try {
    return openSecret(secret, id, secretEncrypted);
  } catch {
    return undefined;
  }
}
