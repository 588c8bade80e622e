import type Koa from "koa";
import { knex, toStatement } from "../../db/builder.ts";
import { authenticateLogin } from "../auth/authenticate.ts";
import type { Principal } from "../auth/principal.ts";
import type { Runtime } from "../runtime.ts";

/** Only a login decides: neither a key nor a program's token can let another program in. */
export const signedIn = (runtime: Runtime, ctx: Koa.Context): Promise<Principal> =>
  authenticateLogin(runtime, ctx.get("Authorization"));

/** The account by which a person decides, as the page shows it. */
export async function accountOf({ db }: Runtime, { accountId }: Principal): Promise<{ email: string; name: string }> {
  const found = knex("account").where({ id: accountId }).select("email", "name");
  const [account] = await db.query<{ email: string; name: string }>(toStatement(found));
  return account ?? { email: "", name: "" };
}

/** More than a person sees at once; the one last used comes first. */
const MOST_ORGANIZATIONS = 500;

/** The organizations a person can let a program into. */
export const organizationsOf = ({ db }: Runtime, { accountId }: Principal): Promise<{ id: string; name: string }[]> =>
  db.query(
    toStatement(
      knex("user as u")
        .join("organization as o", "o.id", "u.organizationId")
        .join("account as a", "a.id", "u.accountId")
        .where({ "u.accountId": accountId, "u.active": true })
        .orderByRaw(`(o.id = a."lastOrganizationId") desc nulls last`)
        .orderBy("o.name")
        .limit(MOST_ORGANIZATIONS)
        .select("o.id", "o.name", "o.urlKey"),
    ),
  );
