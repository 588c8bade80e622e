import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { beginLogin } from "../../accounts/login/log-in.ts";
import { type Account, hashForSignUp } from "../../accounts/login/sign-up.ts";
import { tokenPair } from "../../accounts/login/tokens.ts";
import {
  type Acceptance,
  acceptInvitation,
  invite,
  invitedTo,
  listInvitations,
  mailInvitation,
  withdrawInvitation,
} from "../../accounts/members/invitation.ts";
import { getMember, listMembers, removeMember, setRole } from "../../accounts/members/member.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { forbidden, invalidInput } from "../../errors.ts";
import { model } from "../../resources/index.ts";
import { endLeasesOf } from "../../resources/lease/expire.ts";
import { scopeOf } from "../../scope.ts";
import { mutate } from "../../write/mutate.ts";
import type { Write } from "../../write/write.ts";
import * as field from "../fields.ts";
import { action, type Call, route } from "../route.ts";

const tag = "Members";
const role = z.enum(["owner", "member"]);
const member = z.object({ id: field.id, email: z.string(), name: z.string(), role, createdAt: field.timestamp });
const lastOwner = { 409: "Nobody would own the organization (`last_owner`)." };

/** Removes who acts in the organization, a member or an agent: credentials open nothing any more, and what they hold is free. */
export async function removeWith(
  { runtime, caller, params: { id = "" } }: Call<"owner">,
  remove: (write: Write, id: string) => Promise<unknown>,
): Promise<typeof field.done> {
  const work = async (write: Write) => {
    await remove(write, id);
    await endLeasesOf(write, id);
    return {};
  };
  await mutate(scopeOf(runtime, caller), model, work, { needs: "owner" });
  credentialsRevoked(runtime.db);
  return field.done;
}

/** Members: everyone sees them, owners manage them. */
export const memberRoutes = [
  route("get /api/members", tag, {
    summary: "List the members",
    description: "In the order they joined, 250 at a time.",
    access: "member",
    query: z.strictObject({ cursor: z.guid().optional().describe("`next_cursor` of the page before.") }),
    replies: { 200: z.object({ members: z.array(member), next_cursor: z.string().optional() }) },
    async run({ runtime, caller, query }) {
      const { members, next } = await listMembers(runtime.db, caller.organizationId, query.cursor);
      return { members, ...(next && { next_cursor: next }) };
    },
  }),
  route("patch /api/members/:id", tag, {
    summary: "Give a member another role",
    description:
      "It counts within a second, for tokens that are out as well. An organization keeps at least one owner.",
    access: "owner",
    body: z.strictObject({ role }),
    replies: { 200: member },
    errors: lastOwner,
    async run({ runtime, caller, body, params: { id = "" } }) {
      await mutate(scopeOf(runtime, caller), model, (write) => setRole(write, id, body.role).then(() => ({})), {
        needs: "owner",
      });
      credentialsRevoked(runtime.db);
      return getMember(runtime.db, caller.organizationId, id);
    },
  }),
  action("delete /api/members/:id", tag, {
    summary: "Remove a member",
    description: "Their tokens and keys no longer open the organization; what they wrote stays.",
    access: "owner",
    errors: lastOwner,
    does: (call) => removeWith(call, removeMember),
  }),
];

const open = z.object({ id: field.id, email: z.string(), createdAt: field.timestamp, expiresAt: field.timestamp });

const acceptance = z.strictObject({
  token: field.token,
  email: field.email.optional().describe("To sign up with; the invited address, which is also the default."),
  password: field.password.optional().describe("To sign up with, when no bearer is sent."),
  name: field.name.optional().describe("To sign up with, when no bearer is sent."),
});

type AcceptanceCall = Call<"optional", z.infer<typeof acceptance>>;

/** Hashes before the transaction begins: it takes long, and nothing may wait for it. */
async function acceptanceOf({ runtime, caller, body, address }: AcceptanceCall): Promise<Acceptance> {
  const { name, password, email } = body;
  if (caller) return { accountId: caller.accountId, name: "" };
  if (name && password)
    return { accountId: uuidv7(), name, email, passwordHash: await hashForSignUp(runtime, password, address) };
  throw invalidInput(
    [
      { path: "name", given: name },
      { path: "password", given: password },
    ]
      .filter((one) => !one.given)
      .map(({ path }) => ({ path, message: "needed to sign up; or send the bearer of your account" })),
  );
}

/** Invitations: owners send them, the invited person accepts. */
export const invitationRoutes = [
  route("post /api/invitations", tag, {
    summary: "Invite someone",
    description:
      "`token` is shown this once. It counts once, for 7 days, for that address alone. Where there is a mail server, the link is mailed; send it on yourself when `mailed` is false, as it is above the limits of emails: five invitations a day for an address.",
    access: "owner",
    body: z.strictObject({ email: field.email }),
    replies: { 201: open.extend({ token: z.string(), mailed: z.boolean() }) },
    errors: { 409: "A member already (`already_member`), or too many open invitations (`limit_reached`)." },
    async run({ runtime, caller: { organizationId, userId }, body, address }) {
      const invitation = await invite(runtime.db, { organizationId, userId }, body.email);
      return { ...invitation, mailed: await mailInvitation(runtime, { organizationId, address }, invitation) };
    },
  }),
  route("get /api/invitations", tag, {
    summary: "List the open invitations",
    description: "Those neither accepted nor withdrawn nor past their time, without their tokens.",
    access: "owner",
    replies: { 200: z.object({ invitations: z.array(open) }) },
    run: async ({ runtime, caller }) => ({ invitations: await listInvitations(runtime.db, caller.organizationId) }),
  }),
  action("delete /api/invitations/:id", tag, {
    summary: "Withdraw an invitation",
    description: "Its token is worth nothing from now on.",
    access: "owner",
    does: ({ runtime, caller, params }) => withdrawInvitation(runtime.db, caller, params["id"] ?? ""),
  }),
  route("post /api/invitations/accept", tag, {
    summary: "Accept an invitation",
    description: "With a bearer, or by signing up: name and password. The tokens carry the organization joined.",
    access: "optional",
    body: acceptance,
    replies: { 200: field.tokens.extend({ user: field.account }) },
    errors: {
      403: "For another address (`invitation_other_address`), or sign-up is off (`signup_closed`).",
      404: "The invitation is unknown, was used, or is past its time (`not_found`).",
      409: "The address has an account: log in and send the bearer (`email_taken`). A link for a new password proves that the address is yours.",
      429: "Too many accounts were created from this network (`rate_limited`).",
    },
    async run(call) {
      const { runtime, caller, body } = call;
      if (!caller && runtime.config.SIGNUP === "off") throw forbidden("Sign-up is off here.", "signup_closed");
      const { organizationId, urlKey } = await invitedTo(runtime.db, body.token);
      const acceptance = await acceptanceOf(call);
      const scope = scopeOf(runtime, { organizationId, userId: acceptance.accountId, role: "member" });
      const { result } = await mutate(scope, model, async (write) => ({
        values: { account: await acceptInvitation(write, body.token, acceptance) },
      }));
      const user = result.values?.["account"] as Account;
      return { ...(await tokenPair(runtime.secret, await beginLogin(runtime.db, user, urlKey))), user };
    },
  }),
];
