import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { beginLogin } from "../../accounts/login/log-in.ts";
import { type Account, hashForSignUp } from "../../accounts/login/sign-up.ts";
import { signTokenPair } from "../../accounts/login/tokens.ts";
import {
  acceptInvitation,
  createInvitation,
  findInvitingOrganization,
  type InvitationAcceptance,
  listInvitations,
  sendInvitationMail,
  withdrawInvitation,
} from "../../accounts/members/invitation.ts";
import { getMember, listMembers, removeMember, setRole } from "../../accounts/members/member.ts";
import { invalidateCredentialCache } from "../../auth/credential-cache.ts";
import { forbidden, invalidFieldsError } from "../../errors.ts";
import { entityModel } from "../../resources/index.ts";
import { endLeasesOfUser } from "../../resources/lease/expire.ts";
import { createScope } from "../../scope.ts";
import { runMutationTransaction } from "../../write/mutate.ts";
import type { WriteContext } from "../../write/write.ts";
import * as field from "../fields.ts";
import { defineRoute, defineSuccessOnlyRoute, type RouteCall } from "../route.ts";

const tag = "Members";
const role = z.enum(["owner", "member"]);
const member = z.object({ id: field.id, email: z.string(), name: z.string(), role, createdAt: field.timestamp });
const lastOwner = { 409: "The organization must keep at least one owner (`last_owner`)." };

/** Removes a member or an agent from the organization: revokes the credentials, and releases the claimed issues. */
export async function removeMemberAndReleaseIssues(
  { runtime, caller, params: { id = "" } }: RouteCall<"owner">,
  remove: (write: WriteContext, id: string) => Promise<unknown>,
): Promise<typeof field.successReply> {
  const work = async (write: WriteContext) => {
    await remove(write, id);
    await endLeasesOfUser(write, id);
    return {};
  };
  await runMutationTransaction(createScope(runtime, caller), entityModel, work, { needs: "owner" });
  invalidateCredentialCache(runtime.db);
  return field.successReply;
}

/** Members. Every member sees the list, and owners manage the members. */
export const memberRoutes = [
  defineRoute("get /api/members", tag, {
    summary: "List the members",
    description: "Lists members in the order of their ids, 250 per page.",
    access: "member",
    query: z.strictObject({ cursor: z.guid().optional().describe("`next_cursor` of the previous page.") }),
    replies: { 200: z.object({ members: z.array(member), next_cursor: z.string().optional() }) },
    async run({ runtime, caller, query }) {
      const { members, next } = await listMembers(runtime.db, caller.organizationId, query.cursor);
      return { members, ...(next && { next_cursor: next }) };
    },
  }),
  defineRoute("patch /api/members/:id", tag, {
    summary: "Change the role of a member",
    description:
      "The new role takes effect within a second, also for tokens that were issued before. An organization must keep at least one owner.",
    access: "owner",
    body: z.strictObject({ role }),
    replies: { 200: member },
    errors: lastOwner,
    async run({ runtime, caller, body, params: { id = "" } }) {
      await runMutationTransaction(
        createScope(runtime, caller),
        entityModel,
        (write) => setRole(write, id, body.role).then(() => ({})),
        {
          needs: "owner",
        },
      );
      invalidateCredentialCache(runtime.db);
      return getMember(runtime.db, caller.organizationId, id);
    },
  }),
  defineSuccessOnlyRoute("delete /api/members/:id", tag, {
    summary: "Remove a member",
    description: "Revokes the tokens and keys of the member for this organization. Data that the member wrote is kept.",
    access: "owner",
    errors: lastOwner,
    does: (call) => removeMemberAndReleaseIssues(call, removeMember),
  }),
];

const open = z.object({ id: field.id, email: z.string(), createdAt: field.timestamp, expiresAt: field.timestamp });

const acceptance = z.strictObject({
  token: field.opaqueToken,
  email: field.email
    .optional()
    .describe("Email address of the new account. Default: the invited address. Other addresses are rejected."),
  password: field.password.optional().describe("Password of the new account; required without a bearer token."),
  name: field.name.optional().describe("Name of the new account; required without a bearer token."),
});

type AcceptanceCall = RouteCall<"optional", z.infer<typeof acceptance>>;

/** Hashes the password before the transaction begins, because hashing is slow and must not block other work. */
async function acceptanceOf({ runtime, caller, body, address }: AcceptanceCall): Promise<InvitationAcceptance> {
  const { name, password, email } = body;
  if (caller) return { accountId: caller.accountId, name: "" };
  if (name && password)
    return { accountId: uuidv7(), name, email, passwordHash: await hashForSignUp(runtime, password, address) };
  throw invalidFieldsError(
    [
      { path: "name", given: name },
      { path: "password", given: password },
    ]
      .filter((one) => !one.given)
      .map(({ path }) => ({ path, message: "needed to sign up; or send the bearer of your account" })),
  );
}

/** Invitations. Owners send invitations, and the invited user accepts. */
export const invitationRoutes = [
  defineRoute("post /api/invitations", tag, {
    summary: "Invite someone",
    description:
      "Returns `token` only in this response. The token is valid once, for 7 days, only for this email address. If a mail server is configured, the server emails the link. If `mailed` is false, send the link yourself. `mailed` is also false above the limit of five invitation emails per day and address.",
    access: "owner",
    body: z.strictObject({ email: field.email }),
    replies: { 201: open.extend({ token: z.string(), mailed: z.boolean() }) },
    errors: {
      409: "The user is already a member (`already_member`), or too many invitations are open (`limit_reached`).",
    },
    async run({ runtime, caller: { organizationId, userId }, body, address }) {
      const invitation = await createInvitation(runtime.db, { organizationId, userId }, body.email);
      return { ...invitation, mailed: await sendInvitationMail(runtime, { organizationId, address }, invitation) };
    },
  }),
  defineRoute("get /api/invitations", tag, {
    summary: "List the open invitations",
    description: "Lists pending invitations, without tokens. Excludes accepted, withdrawn and expired invitations.",
    access: "owner",
    replies: { 200: z.object({ invitations: z.array(open) }) },
    run: async ({ runtime, caller }) => ({ invitations: await listInvitations(runtime.db, caller.organizationId) }),
  }),
  defineSuccessOnlyRoute("delete /api/invitations/:id", tag, {
    summary: "Withdraw an invitation",
    description: "Revokes the token of the invitation.",
    access: "owner",
    does: ({ runtime, caller, params }) => withdrawInvitation(runtime.db, caller, params["id"] ?? ""),
  }),
  defineRoute("post /api/invitations/accept", tag, {
    summary: "Accept an invitation",
    description:
      "Send a bearer token, or `name` and `password` to create an account. The returned tokens belong to the joined organization.",
    access: "optional",
    body: acceptance,
    replies: { 200: field.tokenPairSchema.extend({ user: field.accountSchema }) },
    errors: {
      403: "The invitation is for another email address (`invitation_other_address`), or sign-up is off (`signup_closed`).",
      404: "The invitation is unknown, already used, or expired (`not_found`).",
      409: "An account with this address exists (`email_taken`). Log in and send the bearer token. To prove that the address is yours, request a link for a new password.",
      429: "Too many accounts were created from this network (`rate_limited`).",
    },
    async run(call) {
      const { runtime, caller, body } = call;
      if (!caller && runtime.config.SIGNUP === "off") throw forbidden("Sign-up is off here.", "signup_closed");
      const { organizationId, urlKey } = await findInvitingOrganization(runtime.db, body.token);
      const acceptance = await acceptanceOf(call);
      const scope = createScope(runtime, { organizationId, userId: acceptance.accountId, role: "member" });
      const { result } = await runMutationTransaction(scope, entityModel, async (write) => ({
        values: { account: await acceptInvitation(write, body.token, acceptance) },
      }));
      const user = result.values?.["account"] as Account;
      return { ...(await signTokenPair(runtime.secret, await beginLogin(runtime.db, user, urlKey))), user };
    },
  }),
];
