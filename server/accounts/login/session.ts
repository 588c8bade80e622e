import { compiled, knex } from "../../../db/builder.ts";
import { verifyAccessToken } from "../../auth/token.ts";
import { AppError } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { refresh } from "./refresh.ts";
import type { Account } from "./sign-up.ts";
import type { TokenPair } from "./tokens.ts";

/** A login: its account, and the organization it acts in. */
export interface Session {
  user: Account;
  organization: { id: string; name: string; urlKey: string; role: "owner" | "member" } | null;
}

/**
 * Goes on with the login of a refresh token, and says whose it is. That nobody is signed in is an answer, not a
 * failure: a page asks this first of all, and its browser would report every refusal.
 */
export async function resume(
  runtime: Runtime,
  refreshToken: string | undefined,
): Promise<(TokenPair & Session) | undefined> {
  if (!refreshToken) return undefined;
  try {
    const pair = await refresh(runtime, { refreshToken });
    const session = await sessionOf(runtime, pair.accessToken);
    return session && { ...pair, ...session };
  } catch (error) {
    if (error instanceof AppError && error.kind === "authentication") return undefined;
    throw error;
  }
}

interface Row extends Account {
  organizationId: string | null;
  organizationName: string;
  urlKey: string;
  role: "owner" | "member";
}

async function sessionOf({ db, secret }: Runtime, accessToken: string): Promise<Session | undefined> {
  const claims = await verifyAccessToken(secret, accessToken);
  if (!claims) return undefined;
  const { accountId, organizationId } = claims;
  const [row] = await db.query<Row>(sessionRow({ accountId, organizationId }));
  if (!row) return undefined;
  const { id, email, name, organizationName, urlKey, role } = row;
  const organization = row.organizationId ? { id: row.organizationId, name: organizationName, urlKey, role } : null;
  return { user: { id, email, name }, organization };
}

const sessionRow = compiled("session-of-account", ["accountId", "organizationId"], ({ accountId, organizationId }) =>
  knex("account as a")
    .leftJoin("user as u", (on) =>
      on.onVal("u.organizationId", organizationId).on("u.accountId", "a.id").on("u.active", knex.raw("true")),
    )
    .leftJoin("organization as o", "o.id", "u.organizationId")
    .where("a.id", accountId)
    .select("a.id", "a.email", "a.name", "u.role", "o.urlKey", { organizationId: "o.id", organizationName: "o.name" }),
);
