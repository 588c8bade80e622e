import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { getMonotonicEpochMs } from "../../../concurrency/held-clock.ts";
import { isUuid } from "../../../formats/uuid.ts";
import { writeAuditEntry } from "../../accounts/audit.ts";
import { authenticateByPassword } from "../../accounts/login/log-in.ts";
import { type Account, insertAccount } from "../../accounts/login/sign-up.ts";
import { type IssuedRefreshToken, insertLoginWithRefreshToken } from "../../accounts/login/tokens.ts";
import {
  addOrUpdateProviderMember,
  consumeSingleUseValue,
  findLinkedAccount,
  isEmailTaken,
  linkIdentity,
  PROVIDER_SIGN_IN_TIMEOUT_MS,
  readSingleUseValue,
  revokeMembershipAndAccess,
  storeSingleUseValue,
} from "../../accounts/oidc/identity.ts";
import { type ProviderUser, SignInRefused, selectRole } from "../../accounts/oidc/person.ts";
import { getSignInProvider, type SignInProvider } from "../../accounts/oidc/provider.ts";
import { invalidateCredentialCache } from "../../auth/credential-cache.ts";
import { authenticationError } from "../../errors.ts";
import { entityModel } from "../../resources/index.ts";
import { endLeasesOfUser } from "../../resources/lease/expire.ts";
import type { Runtime } from "../../runtime.ts";
import { createScope } from "../../scope.ts";
import { runMutationTransaction } from "../../write/mutate.ts";
import type { WriteContext } from "../../write/write.ts";

/**
 * Result of an admission: a login, or a code. With the code, the page asks for the password of an existing account that
 * has the user's address.
 */
export type SignInAdmission = { grant: IssuedRefreshToken; returnTo: string } | { confirm: string };

/**
 * Signs in a user whom the provider identified. If an account with the user's address already exists, the user must
 * enter the account's password once, because a provider belongs to an organization, but an account belongs to a user.
 * @throws SignInRefused
 */
export async function signInProviderUser(
  runtime: Runtime,
  provider: SignInProvider,
  person: ProviderUser,
  { browser, returnTo }: { browser: string; returnTo: string },
): Promise<SignInAdmission> {
  const { organizationId } = provider;
  const known = await findLinkedAccount(runtime.db, { organizationId, ...person });
  if (selectRole(provider.groupRoles, person.groups) === null) {
    if (known) await expel(runtime, organizationId, known.id);
    throw new SignInRefused("group");
  }
  if (!known && (await isEmailTaken(runtime.db, person.email))) {
    const confirm = randomBytes(32).toString("base64url");
    const once = { organizationId, kind: "person", parts: [confirm, browser] } as const;
    await storeSingleUseValue(runtime.db, once, new Date(getMonotonicEpochMs() + PROVIDER_SIGN_IN_TIMEOUT_MS), {
      person,
      returnTo,
    });
    return { confirm: `${organizationId}.${confirm}` };
  }
  if (!known && runtime.config.SIGNUP === "off") throw new SignInRefused("closed");
  return { grant: await enter(runtime, provider, person, known), returnTo };
}

/**
 * Links a user with the account whose password they entered. The code can be used once.
 * @throws authenticationError for an unknown, used or expired code, for the code of another browser, and for a wrong
 * password, which does not use up the code; SignInRefused
 */
export async function linkAccountWithPassword(
  runtime: Runtime,
  { code, browser, password, address }: { code: string; browser: string; password: string; address: string },
): Promise<{ grant: IssuedRefreshToken; returnTo: string; account: Account }> {
  const [organizationId = "", secret = ""] = code.split(".");
  const once = { organizationId, kind: "person", parts: [secret, browser] } as const;
  const person = isUuid(organizationId) ? (await readSingleUseValue(runtime.db, once))?.person : undefined;
  if (!person) throw tooLate();
  const account = await authenticateByPassword(runtime, { email: person.email, password, address });
  const taken = await consumeSingleUseValue(runtime.db, once);
  if (!taken) throw tooLate();
  const provider = await getSignInProvider(runtime, organizationId);
  return { grant: await enter(runtime, provider, person, account), returnTo: taken.returnTo ?? "/", account };
}

const tooLate = () => authenticationError("This sign-in was already used or has expired; sign in again.");

/**
 * Makes the account a member with the role that the user's groups give, and begins a login. Creates an account if
 * `account` is undefined.
 */
async function enter(
  runtime: Runtime,
  { organizationId, groupRoles, domains, issuer }: SignInProvider,
  person: ProviderUser,
  account: Account | undefined,
): Promise<IssuedRefreshToken> {
  const role = selectRole(groupRoles, person.groups);
  const domain = person.email.slice(person.email.lastIndexOf("@") + 1);
  // An owner may have changed the allowed groups and domains while the user entered the password.
  if (role === null) throw new SignInRefused("group");
  if (issuer !== person.issuer || !domains.includes(domain)) throw new SignInRefused("domain");
  const accountId = account?.id ?? uuidv7();
  await mutateAsMember(runtime, organizationId, accountId, async (write) => {
    const { email, name } = person;
    const own = account ?? (await insertAccount(write.trx, { id: accountId, email, name, passwordHash: null }));
    await linkIdentity(write, person, accountId);
    await addOrUpdateProviderMember(write, own, role);
  });
  invalidateCredentialCache(runtime.db);
  return runtime.db.transaction(async (trx) => {
    const grant = await insertLoginWithRefreshToken(trx, { accountId, organizationId }, { session: person.session });
    const detail = { loginId: grant.loginId, by: "oidc" };
    await writeAuditEntry(trx, { event: "login.began", organizationId, accountId, detail });
    return grant;
  });
}

async function expel(runtime: Runtime, organizationId: string, accountId: string): Promise<void> {
  await mutateAsMember(runtime, organizationId, accountId, async (write) => {
    const left = await revokeMembershipAndAccess(write, accountId);
    if (left) await endLeasesOfUser(write, left);
  });
  invalidateCredentialCache(runtime.db);
}

/** Runs a mutation on an organization's members, on behalf of one member. */
export async function mutateAsMember(
  runtime: Runtime,
  organizationId: string,
  userId: string,
  work: (write: WriteContext) => Promise<void>,
): Promise<void> {
  await runMutationTransaction(
    createScope(runtime, { organizationId, userId, role: "member" }),
    entityModel,
    async (write) => {
      write.direct = true;
      await work(write);
      return {};
    },
  );
}
