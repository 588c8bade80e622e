import { z } from "zod";
import { signTokenPair } from "../../accounts/login/tokens.ts";
import { connectToProvider, isIssuerUrl, ProviderFailure } from "../../accounts/oidc/connection.ts";
import { SignInRefused } from "../../accounts/oidc/person.ts";
import { readProvider, removeProvider, resolveClientSecret, saveProvider } from "../../accounts/oidc/provider.ts";
import { enforceLimitsIfThrottling } from "../../accounts/throttle.ts";
import { invalidateCredentialCache } from "../../auth/credential-cache.ts";
import { forbidden, inputError } from "../../errors.ts";
import * as field from "../fields.ts";
import { linkAccountWithPassword } from "../oidc/admission.ts";
import { beginOidcSignIn, callbackUrl } from "../oidc/sign-in.ts";
import { defineRoute, defineSuccessOnlyRoute, type RouteCall } from "../route.ts";

const tag = "Sign-in";

const returnTo = z
  .string()
  .max(2_000)
  .regex(/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/, "is a path of this server")
  .default("/");

const domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^(?=.*\.)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, "is a domain, such as example.com");

const provider = {
  issuer: z.string().max(500).describe("Issuer URL of the provider, exactly as in the provider's tokens."),
  clientId: field.trimmedText(255),
  domains: z.array(domain).min(1).max(20).describe("Domains of the email addresses that can sign in."),
  groupsClaim: z.string().min(1).max(64).describe("Name of the claim that contains the groups of a user."),
  groupRoles: z
    .array(z.strictObject({ group: field.trimmedText(255), role: z.enum(["owner", "member"]) }))
    .max(50)
    .describe("Role that each group gets. If the list is not empty, users without a listed group cannot sign in."),
  required: z.boolean().describe("True if users cannot sign in to the organization with a password."),
};

const shown = z.object({
  provider: z.object(provider).nullable(),
  callbackUrl: z.string().describe("Redirect URI to register with the provider."),
  logoutUrl: z.string().describe("URL to register with the provider for back-channel logout."),
});

async function show({ runtime, caller: { organizationId } }: RouteCall<"owner">): Promise<z.infer<typeof shown>> {
  return {
    provider: (await readProvider(runtime.db, organizationId)) ?? null,
    callbackUrl: callbackUrl(runtime),
    logoutUrl: `${runtime.publicUrl}/api/auth/oidc/logout/${organizationId}`,
  };
}

/** Sign-in through an organization's OpenID provider, and the provider's settings. */
export const oidcRoutes = [
  defineRoute("post /api/auth/oidc/start", tag, {
    summary: "Start a sign-in at an organization's OpenID provider",
    description:
      "Send the browser to `redirect`. The provider redirects the browser back to this server, which then requires the value of `browser`. For web pages, a cookie stores the value.",
    access: "public",
    body: z
      .strictObject({ organization: field.urlKey.optional(), email: field.email.optional(), returnTo })
      .refine(({ organization, email }) => organization || email, "organization or email is needed"),
    replies: {
      200: z.object({
        redirect: z.string(),
        organization: z.string().describe("Name of the organization."),
        host: z.string().describe("Host of the provider at which users sign in."),
        browser: z
          .string()
          .optional()
          .describe("Absent for requests from web pages, because web pages get the value in a cookie."),
      }),
    },
    errors: {
      404: "The organization does not exist or has no provider, or two organizations use the same email domain (`not_found`).",
      409: "The server cannot decrypt the client secret, because the server's own secret has changed (`oidc_secret`).",
      429: "Too many sign-ins were started from this network address (`rate_limited`).",
    },
    run: ({ runtime, body, address }) => beginOidcSignIn(runtime, { ...body, address }),
  }),
  defineRoute("post /api/auth/oidc/confirm", tag, {
    summary: "Link a sign-in to the account with the same email address",
    description: "Send the password of the account once. After that, a sign-in with the provider needs no password.",
    access: "public",
    body: z.strictObject({
      code: field.opaqueToken,
      browser: field.opaqueToken,
      password: z.string().min(1).max(1024),
    }),
    takesBrowser: true,
    replies: { 200: field.tokenPairSchema.extend({ user: field.accountSchema, returnTo: z.string() }) },
    errors: {
      401: "The password is wrong, or the code is unknown, already used, or expired (`unauthorized`).",
      403: "The organization does not let this user sign in (`sign_in_refused`).",
      429: "Too many failed logins (`rate_limited`).",
    },
    async run({ runtime, body, address }) {
      const { grant, account, returnTo } = await linkAccountWithPassword(runtime, { ...body, address }).catch(
        (error) => {
          if (!(error instanceof SignInRefused)) throw error;
          throw forbidden(
            `The sign-in with your company's OpenID provider was refused: ${error.reason}.`,
            "sign_in_refused",
          );
        },
      );
      return { ...(await signTokenPair(runtime.secret, grant)), user: account, returnTo };
    },
  }),
  defineRoute("get /api/oidc", tag, {
    summary: "Show the organization's OpenID provider",
    description: "The response does not contain the client secret.",
    access: "owner",
    replies: { 200: shown },
    run: show,
  }),
  defineRoute("patch /api/oidc", tag, {
    summary: "Set the organization's OpenID provider",
    description:
      "The server first reads the metadata of the provider. `clientSecret` is stored encrypted and never returned.",
    access: "owner",
    body: z.strictObject({
      ...provider,
      groupsClaim: provider.groupsClaim.default("groups"),
      groupRoles: provider.groupRoles.default([]),
      required: provider.required.default(false),
      clientSecret: z.string().min(1).max(1_000).optional().describe("If absent, the server keeps the stored secret."),
    }),
    replies: { 200: shown },
    errors: {
      409: "`required` is true, but no owner has signed in with this provider yet (`oidc_untried`).",
      429: "Too many changes (`rate_limited`).",
    },
    async run(call) {
      const { runtime, caller, body } = call;
      const { organizationId } = caller;
      const refusal = "Too many provider changes; try again later.";
      await enforceLimitsIfThrottling(runtime, {
        of: ["oidc change", organizationId],
        most: 60,
        windowMs: 600_000,
        refusal,
      });
      if (!isIssuerUrl(runtime.config, body.issuer)) throw inputError("issuer: takes an https address", "issuer");
      const secret = await resolveClientSecret(runtime, caller, body);
      const connecting = connectToProvider(runtime, { issuer: body.issuer, clientId: body.clientId, secret });
      const connection = await connecting.catch((error) => {
        if (!(error instanceof ProviderFailure)) throw error;
        throw inputError(`issuer: ${error.message}`, "issuer");
      });
      connection.close();
      await saveProvider(runtime, caller, body, secret);
      invalidateCredentialCache(runtime.db);
      return show(call as RouteCall<"owner">);
    },
  }),
  defineSuccessOnlyRoute("delete /api/oidc", tag, {
    summary: "Remove the organization's OpenID provider",
    description:
      "Revokes logins that users started with the provider. Users then sign in with passwords. A user without a password needs a link from the operator.",
    access: "owner",
    errors: { 404: "There is none (`not_found`)." },
    does: async ({ runtime, caller }) => {
      await removeProvider(runtime.db, caller);
      invalidateCredentialCache(runtime.db);
    },
  }),
];
