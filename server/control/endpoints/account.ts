import { z } from "zod";
import { acceptWelcome } from "../../accounts/login/links.ts";
import { beginLogin, logIn, logOut, switchOrganization } from "../../accounts/login/log-in.ts";
import { refresh, resume } from "../../accounts/login/refresh.ts";
import { requestReset } from "../../accounts/login/reset.ts";
import { signUp } from "../../accounts/login/sign-up.ts";
import { tokenPair } from "../../accounts/login/tokens.ts";
import { forbidden } from "../../errors.ts";
import * as field from "../fields.ts";
import { chooseNewPassword } from "../new-password.ts";
import { action, route } from "../route.ts";

const tag = "Account";
const signedIn = field.tokens.extend({ user: field.account });

/** Sign-up, login and its end, and a new password. */
export const accountRoutes = [
  route("post /api/auth/signup", tag, {
    summary: "Sign up",
    description: "Creates an account and logs it in. It belongs to no organization yet: POST /api/organization.",
    access: "public",
    body: z.strictObject({ email: field.email, password: field.password, name: field.name }),
    replies: { 201: signedIn },
    errors: {
      403: "Sign-up is closed here (`signup_closed`).",
      409: "The e-mail address is taken (`email_taken`). A link for a new password proves that it is yours.",
      429: "Too many accounts were created from this network (`rate_limited`).",
    },
    async run({ runtime, body, address }) {
      if (runtime.config.SIGNUP !== "open") {
        throw forbidden("Sign-up is not open here; ask an owner for an invitation.", "signup_closed");
      }
      const user = await signUp(runtime, { ...body, address });
      const grant = await beginLogin(runtime.db, user);
      return { ...(await tokenPair(runtime.secret, grant)), user };
    },
  }),
  route("post /api/auth/login", tag, {
    summary: "Log in",
    description:
      "The tokens act in the organization named, else in the one last used. Failures are counted by e-mail and network address.",
    access: "public",
    body: z.strictObject({ email: field.email, password: z.string().min(1).max(1024), organization: field.actingIn }),
    replies: { 200: signedIn },
    errors: {
      401: "The e-mail address or the password is wrong (`unauthorized`).",
      403: "The organization is opened by its OpenID provider alone (`oidc_required`).",
      404: "The account belongs to no such organization (`not_found`).",
      429: "Too many failed logins (`rate_limited`).",
    },
    run: ({ runtime, body, address }) => logIn(runtime, { ...body, address }),
  }),
  route("post /api/auth/welcome", tag, {
    summary: "Sign in with a link of the operator's",
    description:
      "The code behind `#welcome=`, of the first start or of `create-owner`, counts once, within 24 hours. An account without a password is given one.",
    access: "public",
    body: z.strictObject({ code: field.token, password: field.password.optional() }),
    replies: { 200: signedIn },
    errors: {
      401: "The code is unknown, used, or past its time (`unauthorized`).",
      409: "The account has no password yet: send one (`password_needed`).",
      429: "Too many links were tried from this network (`rate_limited`).",
    },
    run: ({ runtime, body, address }) => acceptWelcome(runtime, { ...body, address }),
  }),
  action("post /api/auth/logout", tag, {
    summary: "Log out",
    description: "Ends the login the refresh token belongs to, and its access tokens.",
    access: "public",
    body: z.strictObject({ refreshToken: field.token }),
    takesRefreshToken: true,
    endsLogin: true,
    does: ({ runtime, body }) => logOut(runtime.db, body.refreshToken),
  }),
  route("post /api/auth/password-reset", tag, {
    summary: "Ask for a link by mail that lets you choose a new password",
    description:
      "The answer is the same whether there is such an account or not. The link counts once, for an hour; an address gets three an hour.",
    access: "public",
    body: z.strictObject({ email: field.email }),
    replies: { 202: field.success },
    errors: {
      409: "This server sends no mails (`no_mail`).",
      429: "Too many requests from this network (`rate_limited`).",
    },
    async run({ runtime, body, address }) {
      await requestReset(runtime, { ...body, address });
      return field.done;
    },
  }),
  route("post /api/auth/password-reset/confirm", tag, {
    summary: "Choose a new password by a link",
    description:
      "Signs in, and ends all other logins of the account. The first link of an account proves its address, and ends the keys, connected apps and memberships that it had, unless you send `keepAccess`.",
    access: "public",
    body: z.strictObject({
      token: field.token,
      password: field.password,
      keepAccess: z
        .boolean()
        .optional()
        .describe("True when you created the account yourself: its keys, connected apps and memberships stay."),
    }),
    replies: { 200: signedIn },
    errors: {
      401: "The link is unknown, was used, or is past its hour (`unauthorized`).",
      429: "Too many links were tried from this network (`rate_limited`).",
    },
    run: ({ runtime, body, address }) => chooseNewPassword(runtime, { ...body, address }),
  }),
];

/** Routes that keep a login alive, and take it from one organization to another. */
export const sessionRoutes = [
  route("post /api/auth/refresh", tag, {
    summary: "Trade a refresh token for a new pair",
    description: "A refresh token is good once. A second use ends the login, unless it follows within 10 s.",
    access: "public",
    body: z.strictObject({ refreshToken: field.token, organization: field.actingIn }),
    takesRefreshToken: true,
    replies: { 200: field.tokens },
    errors: {
      401: "The refresh token is unknown, expired or was used before (`unauthorized`).",
      403: "The organization is opened by its OpenID provider alone (`oidc_required`).",
      404: "The account belongs to no such organization (`not_found`).",
    },
    run: ({ runtime, body }) => refresh(runtime, body),
  }),
  route("post /api/auth/session", tag, {
    summary: "Go on with a login, and see whose it is",
    description:
      "What a page asks first: like a refresh, but that nobody is signed in is an answer (`signedIn: false`) and no error.",
    access: "public",
    body: z.strictObject({ refreshToken: field.token.optional() }),
    takesRefreshToken: true,
    replies: {
      200: field.tokens.partial().extend({
        signedIn: z.boolean(),
        user: field.account.optional(),
        organization: z
          .object({ id: field.id, name: z.string(), urlKey: z.string(), role: z.enum(["owner", "member"]) })
          .nullish(),
        signUp: z.enum(["open", "invite", "off"]).describe("Who may sign up here."),
        mails: z.boolean().describe("Whether a link for a new password can be had by mail."),
      }),
    },
    async run({ runtime, body }) {
      const resumed = await resume(runtime, body.refreshToken);
      const mails = runtime.config.SMTP_URL !== undefined;
      return { signedIn: resumed !== undefined, signUp: runtime.config.SIGNUP, mails, ...resumed };
    },
  }),
  route("post /api/auth/switch", tag, {
    summary: "Switch to another organization",
    description:
      "Answers tokens of the same login that act in that organization; the earlier ones stay good in theirs.",
    access: "account",
    body: z.strictObject({ organization: field.urlKey }),
    replies: { 200: field.tokens },
    errors: {
      403: "The organization is opened by its OpenID provider alone (`oidc_required`), or so is this login's (`organization_login`).",
      404: "The account belongs to no such organization (`not_found`).",
    },
    run: ({ runtime, body, caller }) => switchOrganization(runtime, caller, body.organization),
  }),
];
