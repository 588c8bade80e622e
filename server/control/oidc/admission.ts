import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { isUuid } from "../../../formats/uuid.ts";
import { audit } from "../../accounts/audit.ts";
import { checkPassword } from "../../accounts/login/log-in.ts";
import { type Account, insertAccount } from "../../accounts/login/sign-up.ts";
import { type Grant, openLogin } from "../../accounts/login/tokens.ts";
import {
  accountOf,
  admitMember,
  expelMember,
  isTaken,
  joinIdentity,
  noteOnce,
  PATIENCE_MS,
  readOnce,
  takeOnce,
} from "../../accounts/oidc/identity.ts";
import { type Person, roleOf, SignInRefused } from "../../accounts/oidc/person.ts";
import { providerOf, type SignInProvider } from "../../accounts/oidc/provider.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { authenticationError } from "../../errors.ts";
import { model } from "../../resources/index.ts";
import { endLeasesOf } from "../../resources/lease/expire.ts";
import type { Runtime } from "../../runtime.ts";
import { scopeOf } from "../../scope.ts";
import { mutate } from "../../write/mutate.ts";
import type { Write } from "../../write/write.ts";

/** A login, or the code with which the page asks for the password of an account that has the person's address. */
export type Admitted = { grant: Grant; returnTo: string } | { confirm: string };

/**
 * Signs a person in whom the provider named. An account that has the address already is joined only by whoever knows
 * its password: the provider is an organization's, and accounts belong to people.
 * @throws SignInRefused
 */
export async function admit(
  runtime: Runtime,
  provider: SignInProvider,
  person: Person,
  { browser, returnTo }: { browser: string; returnTo: string },
): Promise<Admitted> {
  const { organizationId } = provider;
  const known = await accountOf(runtime.db, { organizationId, ...person });
  if (roleOf(provider.groupRoles, person.groups) === null) {
    if (known) await expel(runtime, organizationId, known.id);
    throw new SignInRefused("group");
  }
  if (!known && (await isTaken(runtime.db, person.email))) {
    const confirm = randomBytes(32).toString("base64url");
    const once = { organizationId, kind: "person", parts: [confirm, browser] } as const;
    await noteOnce(runtime.db, once, new Date(Date.now() + PATIENCE_MS), { person, returnTo });
    return { confirm: `${organizationId}.${confirm}` };
  }
  if (!known && runtime.config.SIGNUP === "off") throw new SignInRefused("closed");
  return { grant: await enter(runtime, provider, person, known), returnTo };
}

/**
 * Joins a person to the account whose password they gave, once.
 * @throws authenticationError for a code that is unknown, used or past its time, or for another browser's; and for a
 * wrong password, which leaves the code good; SignInRefused
 */
export async function confirm(
  runtime: Runtime,
  { code, browser, password, address }: { code: string; browser: string; password: string; address: string },
): Promise<{ grant: Grant; returnTo: string; account: Account }> {
  const [organizationId = "", secret = ""] = code.split(".");
  const once = { organizationId, kind: "person", parts: [secret, browser] } as const;
  const person = isUuid(organizationId) ? (await readOnce(runtime.db, once))?.person : undefined;
  if (!person) throw tooLate();
  const account = await checkPassword(runtime, { email: person.email, password, address });
  const taken = await takeOnce(runtime.db, once);
  if (!taken) throw tooLate();
  const provider = await providerOf(runtime, organizationId);
  return { grant: await enter(runtime, provider, person, account), returnTo: taken.returnTo ?? "/", account };
}

const tooLate = () => authenticationError("This sign-in was used, or took too long; sign in again.");

/** Makes the account a member, with the role of its groups, and begins a login. Without one, an account is made. */
async function enter(
  runtime: Runtime,
  { organizationId, groupRoles, domains, issuer }: SignInProvider,
  person: Person,
  account: Account | undefined,
): Promise<Grant> {
  const role = roleOf(groupRoles, person.groups);
  const domain = person.email.slice(person.email.lastIndexOf("@") + 1);
  // While the password was awaited, an owner may have changed who is let in.
  if (role === null) throw new SignInRefused("group");
  if (issuer !== person.issuer || !domains.includes(domain)) throw new SignInRefused("domain");
  const accountId = account?.id ?? uuidv7();
  await inOrganization(runtime, organizationId, accountId, async (write) => {
    const { email, name } = person;
    const own = account ?? (await insertAccount(write.trx, { id: accountId, email, name, passwordHash: null }));
    await joinIdentity(write, person, accountId);
    await admitMember(write, own, role);
  });
  credentialsRevoked(runtime.db);
  return runtime.db.transaction(async (trx) => {
    const grant = await openLogin(trx, { accountId, organizationId }, { session: person.session });
    const detail = { loginId: grant.loginId, by: "oidc" };
    await audit(trx, { event: "login.began", organizationId, accountId, detail });
    return grant;
  });
}

async function expel(runtime: Runtime, organizationId: string, accountId: string): Promise<void> {
  await inOrganization(runtime, organizationId, accountId, async (write) => {
    const left = await expelMember(write, accountId);
    if (left) await endLeasesOf(write, left);
  });
  credentialsRevoked(runtime.db);
}

/** Runs work on an organization's members on behalf of one of them. */
export async function inOrganization(
  runtime: Runtime,
  organizationId: string,
  userId: string,
  work: (write: Write) => Promise<void>,
): Promise<void> {
  await mutate(scopeOf(runtime, { organizationId, userId, role: "member" }), model, async (write) => {
    write.direct = true;
    await work(write);
    return {};
  });
}
