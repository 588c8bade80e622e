import { z } from "zod";
import { switchOrganization } from "../../accounts/login/log-in.ts";
import { refresh, resume } from "../../accounts/login/refresh.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";

const tag = "Account";

const refreshLogin = route({
  method: "post",
  path: "/api/auth/refresh",
  tag,
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
});

const resumeLogin = route({
  method: "post",
  path: "/api/auth/session",
  tag,
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
});

const switchTo = route({
  method: "post",
  path: "/api/auth/switch",
  tag,
  summary: "Switch to another organization",
  description: "Answers tokens of the same login that act in that organization; the earlier ones stay good in theirs.",
  access: "account",
  body: z.strictObject({ organization: field.urlKey }),
  replies: { 200: field.tokens },
  errors: {
    403: "The organization is opened by its OpenID provider alone (`oidc_required`), or so is this login's (`organization_login`).",
    404: "The account belongs to no such organization (`not_found`).",
  },
  run: ({ runtime, body, caller }) => switchOrganization(runtime, caller, body.organization),
});

/** Routes that keep a login alive, and take it from one organization to another. */
export const sessionRoutes = [refreshLogin, resumeLogin, switchTo];
