import { z } from "zod";
import { signInWithCode } from "../../accounts/login/links.ts";
import { beginLogin, createPasswordLogin, logOut, switchOrganization } from "../../accounts/login/log-in.ts";
import { refreshLogin, resumeLogin } from "../../accounts/login/refresh.ts";
import { requestPasswordReset } from "../../accounts/login/reset.ts";
import { signUp } from "../../accounts/login/sign-up.ts";
import { signTokenPair } from "../../accounts/login/tokens.ts";
import { forbidden } from "../../errors.ts";
import * as field from "../fields.ts";
import { setPasswordWithResetLink } from "../new-password.ts";
import { defineRoute, defineSuccessOnlyRoute } from "../route.ts";

const tag = "Account";
const signedIn = field.tokenPairSchema.extend({ user: field.accountSchema });

/** Routes for sign-up, login, logout and password reset. */
export const accountRoutes = [
  defineRoute("post /api/auth/signup", tag, {
    summary: "Sign up",
    description:
      "Creates an account and signs in. The account belongs to no organization yet. To create an organization, use POST /api/organization.",
    access: "public",
    body: z.strictObject({ email: field.email, password: field.password, name: field.name }),
    replies: { 201: signedIn },
    errors: {
      403: "Sign-up is closed here (`signup_closed`).",
      409: "An account with this email address exists (`email_taken`). To prove that the address is yours, request a link for a new password.",
      429: "Too many accounts were created from this network (`rate_limited`).",
    },
    async run({ runtime, body, address }) {
      if (runtime.config.SIGNUP !== "open") {
        throw forbidden("This server does not allow open sign-up; ask an owner for an invitation.", "signup_closed");
      }
      const user = await signUp(runtime, { ...body, address });
      const grant = await beginLogin(runtime.db, user);
      return { ...(await signTokenPair(runtime.secret, grant)), user };
    },
  }),
  defineRoute("post /api/auth/login", tag, {
    summary: "Log in",
    description:
      "The tokens are valid for the given organization, by default for the last used organization. The server counts failed attempts by email and network address.",
    access: "public",
    body: z.strictObject({
      email: field.email,
      password: z.string().min(1).max(1024),
      organization: field.actingOrganizationKey,
    }),
    replies: { 200: signedIn },
    errors: {
      401: "The email address or the password is wrong (`unauthorized`).",
      403: "The organization requires sign-in with its OpenID provider (`oidc_required`).",
      404: "The account does not belong to this organization (`not_found`).",
      429: "Too many failed logins (`rate_limited`).",
    },
    run: ({ runtime, body, address }) => createPasswordLogin(runtime, { ...body, address }),
  }),
  defineRoute("post /api/auth/welcome", tag, {
    summary: "Sign in with a link from the operator",
    description:
      "`code` is the part after `#welcome=` of the link that the first start or `create-owner` prints. The code is valid once, for 24 hours. For an account without a password, also send `password`.",
    access: "public",
    body: z.strictObject({ code: field.opaqueToken, password: field.password.optional() }),
    replies: { 200: signedIn },
    errors: {
      401: "The code is unknown, already used, or expired (`unauthorized`).",
      409: "The account has no password yet; send `password` (`password_needed`).",
      429: "Too many links were tried from this network (`rate_limited`).",
    },
    run: ({ runtime, body, address }) => signInWithCode(runtime, { ...body, address }),
  }),
  defineSuccessOnlyRoute("post /api/auth/logout", tag, {
    summary: "Log out",
    description: "Revokes the login that the refresh token belongs to, and its access tokens.",
    access: "public",
    body: z.strictObject({ refreshToken: field.opaqueToken }),
    takesRefreshToken: true,
    endsLogin: true,
    does: ({ runtime, body }) => logOut(runtime.db, body.refreshToken),
  }),
  defineRoute("post /api/auth/password-reset", tag, {
    summary: "Request an email with a link to choose a new password",
    description:
      "The response does not show whether the account exists. The link works once, within one hour. The server sends at most three links per hour to one address.",
    access: "public",
    body: z.strictObject({ email: field.email }),
    replies: { 202: field.successSchema },
    errors: {
      409: "This server cannot send email (`no_mail`).",
      429: "Too many requests from this network (`rate_limited`).",
    },
    async run({ runtime, body, address }) {
      await requestPasswordReset(runtime, { ...body, address });
      return field.successReply;
    },
  }),
  defineRoute("post /api/auth/password-reset/confirm", tag, {
    summary: "Choose a new password with a reset link",
    description:
      "Signs in, and revokes all other logins of the account. The first link of an account proves its email address. The server then also removes the keys, connected apps and memberships of the account, unless you send `keepAccess`.",
    access: "public",
    body: z.strictObject({
      token: field.opaqueToken,
      password: field.password,
      keepAccess: z
        .boolean()
        .optional()
        .describe(
          "Send true if you created the account yourself. The server then keeps the account's keys, connected apps and memberships.",
        ),
    }),
    replies: { 200: signedIn },
    errors: {
      401: "The link is unknown, already used, or older than one hour (`unauthorized`).",
      429: "Too many links were tried from this network (`rate_limited`).",
    },
    run: ({ runtime, body, address }) => setPasswordWithResetLink(runtime, { ...body, address }),
  }),
];

/** Routes that refresh a login or switch it to another organization. */
export const loginRoutes = [
  defineRoute("post /api/auth/refresh", tag, {
    summary: "Exchange a refresh token for a new pair of tokens",
    description:
      "A refresh token can be used once. A second use revokes the login, unless it happens within 10 s of the first use.",
    access: "public",
    body: z.strictObject({ refreshToken: field.opaqueToken, organization: field.actingOrganizationKey }),
    takesRefreshToken: true,
    replies: { 200: field.tokenPairSchema },
    errors: {
      401: "The refresh token is unknown, expired or was used before (`unauthorized`).",
      403: "The organization requires sign-in with its OpenID provider (`oidc_required`).",
      404: "The account does not belong to this organization (`not_found`).",
    },
    run: ({ runtime, body }) => refreshLogin(runtime, body),
  }),
  defineRoute("post /api/auth/session", tag, {
    summary: "Resume a login and return its user",
    description:
      "A web page sends this request first. The request works like a refresh, but responds with `signedIn: false` instead of an error if nobody is signed in.",
    access: "public",
    body: z.strictObject({ refreshToken: field.opaqueToken.optional() }),
    takesRefreshToken: true,
    replies: {
      200: field.tokenPairSchema.partial().extend({
        signedIn: z.boolean(),
        user: field.accountSchema.optional(),
        organization: z
          .object({ id: field.id, name: z.string(), urlKey: z.string(), role: z.enum(["owner", "member"]) })
          .nullish(),
        signUp: z.enum(["open", "invite", "off"]).describe("Who can sign up on this server."),
        mails: z.boolean().describe("True if the server can send a link for a new password by email."),
      }),
    },
    async run({ runtime, body }) {
      const resumed = await resumeLogin(runtime, body.refreshToken);
      const mails = runtime.config.SMTP_URL !== undefined;
      return { signedIn: resumed !== undefined, signUp: runtime.config.SIGNUP, mails, ...resumed };
    },
  }),
  defineRoute("post /api/auth/switch", tag, {
    summary: "Switch to another organization",
    description:
      "Returns tokens of the same login for the new organization. The previous tokens stay valid for the previous organization.",
    access: "account",
    body: z.strictObject({ organization: field.urlKey }),
    replies: { 200: field.tokenPairSchema },
    errors: {
      403: "The organization requires sign-in with its OpenID provider (`oidc_required`), or the login was started by an organization's OpenID provider and is valid only for that organization (`organization_login`).",
      404: "The account does not belong to this organization (`not_found`).",
    },
    run: ({ runtime, body, caller }) => switchOrganization(runtime, caller, body.organization),
  }),
];
