import { z } from "zod";
import { acceptWelcome, requestReset, resetPassword } from "../../accounts/login/links.ts";
import { beginLogin, logIn, logOut } from "../../accounts/login/log-in.ts";
import { signUp } from "../../accounts/login/sign-up.ts";
import { tokenPair } from "../../accounts/login/tokens.ts";
import { forbidden } from "../../errors.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";

const tag = "Account";
const signedIn = field.tokens.extend({ user: field.account });

const signup = route({
  method: "post",
  path: "/api/auth/signup",
  tag,
  summary: "Sign up",
  description: "Creates an account and logs it in. It belongs to no organization yet: POST /api/organization.",
  access: "public",
  body: z.strictObject({ email: field.email, password: field.password, name: field.name }),
  replies: { 201: signedIn },
  errors: { 403: "Sign-up is closed here (`signup_closed`).", 409: "The e-mail address is taken (`email_taken`)." },
  async run({ runtime, body }) {
    if (runtime.config.SIGNUP !== "open") {
      throw forbidden("Sign-up is not open here; ask an owner for an invitation.", "signup_closed");
    }
    const user = await signUp(runtime.db, body);
    const grant = await beginLogin(runtime.db, user);
    return { ...(await tokenPair(runtime.secret, grant)), user };
  },
});

const login = route({
  method: "post",
  path: "/api/auth/login",
  tag,
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
});

const logout = route({
  method: "post",
  path: "/api/auth/logout",
  tag,
  summary: "Log out",
  description: "Ends the login the refresh token belongs to, and its access tokens.",
  access: "public",
  body: z.strictObject({ refreshToken: field.token }),
  takesRefreshToken: true,
  endsLogin: true,
  replies: { 200: field.success },
  async run({ runtime, body }) {
    await logOut(runtime.db, body.refreshToken);
    return field.done;
  },
});

const welcome = route({
  method: "post",
  path: "/api/auth/welcome",
  tag,
  summary: "Sign in with a link of the operator's",
  description:
    "The code behind `#welcome=`, of the first start or of `create-owner`, counts once, within 24 hours. An account without a password is given one.",
  access: "public",
  body: z.strictObject({ code: field.token, password: field.password.optional() }),
  replies: { 200: signedIn },
  errors: {
    401: "The code is unknown, used, or past its time (`unauthorized`).",
    409: "The account has no password yet: send one (`password_needed`).",
  },
  run: ({ runtime, body }) => acceptWelcome(runtime, body),
});

const askReset = route({
  method: "post",
  path: "/api/auth/password-reset",
  tag,
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
});

const reset = route({
  method: "post",
  path: "/api/auth/password-reset/confirm",
  tag,
  summary: "Choose a new password by a link",
  description: "Signs in, and ends all other logins of the account.",
  access: "public",
  body: z.strictObject({ token: field.token, password: field.password }),
  replies: { 200: signedIn },
  errors: {
    401: "The link is unknown, was used, or is past its hour (`unauthorized`).",
    429: "Too many links were tried from this network (`rate_limited`).",
  },
  run: ({ runtime, body, address }) => resetPassword(runtime, { ...body, address }),
});

/** Sign-up, login and its end, and a new password. */
export const accountRoutes = [signup, login, welcome, logout, askReset, reset];
