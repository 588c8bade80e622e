import { parseArgs } from "node:util";
import { z } from "zod";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { isReservedPathSegment } from "../../formats/own-paths.ts";
import { createSignInCode } from "../accounts/login/links.ts";
import { type Account, insertAccount } from "../accounts/login/sign-up.ts";
import { createOrganization } from "../accounts/organization.ts";
import { inputError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { createFirstTeam } from "./first-start.ts";
import { getUsageText } from "./usage.ts";

const input = z.object({
  email: z.string().toLowerCase().pipe(z.email().max(254)),
  name: z.string().trim().min(1).max(256),
  urlKey: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/)
    .refine((key) => !isReservedPathSegment(key)),
});

/**
 * Creates an organization, the organization's first team and the organization's owner. The owner signs in by a
 * single-use link and then chooses a password. An existing account with the email address becomes the owner and keeps
 * its password.
 * @throws inputError; conflict for an urlKey that is taken
 */
export async function createOwner(
  means: Pick<Runtime, "db" | "publicUrl" | "secret">,
  args: string[],
): Promise<string> {
  const { email, name, urlKey } = inputOf(args);
  const { db, publicUrl } = means;
  const account = await accountOf(db, email);
  const { id: organizationId, userId } = await createOrganization(db, { accountId: account.id, name, urlKey });
  await createFirstTeam(means, { organizationId, userId });
  const code = await createSignInCode(db, account.id);
  return `${publicUrl}/#welcome=${code}\n(signs ${email} in, once, within 24 hours, as the owner of ${urlKey})`;
}

function inputOf(args: string[]): z.infer<typeof input> {
  try {
    const options = { organization: { type: "string" }, "url-key": { type: "string" } } as const;
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
    const [email, ...more] = positionals;
    if (more.length > 0) throw new TypeError(`there is one EMAIL, and ${more.join(" ")} is another argument`);
    const { organization: name = "" } = values;
    return input.parse({ email, name, urlKey: values["url-key"] ?? urlKeyOf(name) });
  } catch (error) {
    const fault = error instanceof z.ZodError ? `${error.issues[0]?.path.join(".")} is missing or malformed` : "";
    throw inputError(`${fault || (error as Error).message}\n\n${getUsageText("create-owner")}`);
  }
}

/** Converts a name to a URL key: `Acme Inc.` becomes `acme-inc`. */
const urlKeyOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 64);

async function accountOf(db: Database, email: string): Promise<Account> {
  const [known] = await db.query<Account>(toStatement(knex("account").where({ email }).select("id", "email", "name")));
  const name = email.slice(0, email.lastIndexOf("@"));
  return (
    known ?? db.transaction((trx) => insertAccount(trx, { email, name, passwordHash: null, emailProvedAt: new Date() }))
  );
}
