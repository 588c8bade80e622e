import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { beginLogin } from "../../accounts/login/log-in.ts";
import type { Account } from "../../accounts/login/sign-up.ts";
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
import { hashPassword } from "../../auth/password.ts";
import type { Principal } from "../../auth/principal.ts";
import { forbidden, invalidInput } from "../../errors.ts";
import { model } from "../../resources/index.ts";
import { scopeOf } from "../../scope.ts";
import { mutate } from "../../write/mutate.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";

const tag = "Members";
const open = z.object({ id: field.id, email: z.string(), createdAt: field.timestamp, expiresAt: field.timestamp });

const create = route({
  method: "post",
  path: "/api/invitations",
  tag,
  summary: "Invite someone",
  description:
    "`token` is shown this once. It counts once, for 7 days, for that address alone. Where there is a mail server, the link is mailed; send it on yourself when `mailed` is false.",
  access: "owner",
  body: z.strictObject({ email: field.email }),
  replies: { 201: open.extend({ token: z.string(), mailed: z.boolean() }) },
  errors: { 409: "A member already (`already_member`), or too many open invitations (`limit_reached`)." },
  async run({ runtime, caller, body }) {
    const invitation = await invite(runtime.db, caller, body.email);
    return { ...invitation, mailed: await mailInvitation(runtime, caller.organizationId, invitation) };
  },
});

const list = route({
  method: "get",
  path: "/api/invitations",
  tag,
  summary: "List the open invitations",
  description: "Those neither accepted nor withdrawn nor past their time, without their tokens.",
  access: "owner",
  replies: { 200: z.object({ invitations: z.array(open) }) },
  run: async ({ runtime, caller }) => ({ invitations: await listInvitations(runtime.db, caller.organizationId) }),
});

const withdraw = route({
  method: "delete",
  path: "/api/invitations/:id",
  tag,
  summary: "Withdraw an invitation",
  description: "Its token is worth nothing from now on.",
  access: "owner",
  replies: { 200: field.success },
  async run({ runtime, caller, params }) {
    await withdrawInvitation(runtime.db, caller, params["id"] ?? "");
    return field.done;
  },
});

const acceptance = z.strictObject({
  token: field.token,
  email: field.email.optional().describe("To sign up with; the invited address, which is also the default."),
  password: field.password.optional().describe("To sign up with, when no bearer is sent."),
  name: field.name.optional().describe("To sign up with, when no bearer is sent."),
});

const accept = route({
  method: "post",
  path: "/api/invitations/accept",
  tag,
  summary: "Accept an invitation",
  description: "With a bearer, or by signing up: name and password. The tokens carry the organization joined.",
  access: "optional",
  body: acceptance,
  replies: { 200: field.tokens.extend({ user: field.account }) },
  errors: {
    403: "For another address (`invitation_other_address`), or sign-up is off (`signup_closed`).",
    404: "The invitation is unknown, was used, or is past its time (`not_found`).",
    409: "The address has an account: log in and send the bearer (`email_taken`).",
  },
  async run({ runtime, caller, body }) {
    if (!caller && runtime.config.SIGNUP === "off") throw forbidden("Sign-up is off here.", "signup_closed");
    const { organizationId, urlKey } = await invitedTo(runtime.db, body.token);
    const acceptance = await acceptanceOf(caller, body);
    const scope = scopeOf(runtime, { organizationId, userId: acceptance.accountId, role: "member" });
    const { result } = await mutate(scope, model, async (write) => ({
      values: { account: await acceptInvitation(write, body.token, acceptance) },
    }));
    const user = result.values?.["account"] as Account;
    return { ...(await tokenPair(runtime.secret, await beginLogin(runtime.db, user, urlKey))), user };
  },
});

/** Hashes before the transaction begins: it takes long, and nothing may wait for it. */
async function acceptanceOf(caller: Principal | null, body: z.infer<typeof acceptance>): Promise<Acceptance> {
  const { name, password, email } = body;
  if (caller) return { accountId: caller.accountId, name: "" };
  if (name && password) return { accountId: uuidv7(), name, email, passwordHash: await hashPassword(password) };
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
export const invitationRoutes = [create, list, withdraw, accept];
