import { z } from "zod";
import { tokenPair } from "../../accounts/login/tokens.ts";
import { connectTo, isIssuerUrl, ProviderFailure } from "../../accounts/oidc/connection.ts";
import { SignInRefused } from "../../accounts/oidc/person.ts";
import { removeProvider, saveProvider, secretFor, shownProvider } from "../../accounts/oidc/provider.ts";
import { countAgainst } from "../../accounts/throttle.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { forbidden, inputError } from "../../errors.ts";
import * as field from "../fields.ts";
import { confirm } from "../oidc/admission.ts";
import { beginSignIn, callbackUrl } from "../oidc/sign-in.ts";
import { action, type Call, route } from "../route.ts";

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
  issuer: z.string().max(500).describe("The provider's address, as its tokens have it."),
  clientId: field.text(255),
  domains: z.array(domain).min(1).max(20).describe("Domains of the e-mail addresses that may sign in."),
  groupsClaim: z.string().min(1).max(64).describe("The claim that holds a person's groups."),
  groupRoles: z
    .array(z.strictObject({ group: field.text(255), role: z.enum(["owner", "member"]) }))
    .max(50)
    .describe("Roles by group; with any, nobody else is let in."),
  required: z.boolean().describe("Passwords do not open the organization."),
};

const shown = z.object({
  provider: z.object(provider).nullable(),
  callbackUrl: z.string().describe("Register this with the provider as the redirect URI."),
  logoutUrl: z.string().describe("Register this with the provider for back-channel logout."),
});

async function show({ runtime, caller: { organizationId } }: Call<"owner">): Promise<z.infer<typeof shown>> {
  return {
    provider: (await shownProvider(runtime.db, organizationId)) ?? null,
    callbackUrl: callbackUrl(runtime),
    logoutUrl: `${runtime.publicUrl}/api/auth/oidc/logout/${organizationId}`,
  };
}

/** Sign-in by an organization's OpenID provider, and its settings. */
export const oidcRoutes = [
  route("post /api/auth/oidc/start", tag, {
    summary: "Start a sign-in at an organization's OpenID provider",
    description:
      "Send the browser on to `redirect`. The provider leads it back here, to where `browser` has to come along, which pages have kept in a cookie.",
    access: "public",
    body: z
      .strictObject({ organization: field.urlKey.optional(), email: field.email.optional(), returnTo })
      .refine(({ organization, email }) => organization || email, "organization or email is needed"),
    replies: {
      200: z.object({
        redirect: z.string(),
        organization: z.string().describe("Its name."),
        host: z.string().describe("Where its people sign in."),
        browser: z.string().optional().describe("Always there, but for a page that has it kept in its cookie."),
      }),
    },
    errors: {
      404: "There is no such organization, it has no provider, or two name this domain (`not_found`).",
      409: "The client's secret was stored under another secret of the server (`oidc_secret`).",
      429: "Too many sign-ins were begun from this address (`rate_limited`).",
    },
    run: ({ runtime, body, address }) => beginSignIn(runtime, { ...body, address }),
  }),
  route("post /api/auth/oidc/confirm", tag, {
    summary: "Join a sign-in to the account that has its e-mail address",
    description: "Once, with the account's password: from then on the provider signs in to it by itself.",
    access: "public",
    body: z.strictObject({ code: field.token, browser: field.token, password: z.string().min(1).max(1024) }),
    takesBrowser: true,
    replies: { 200: field.tokens.extend({ user: field.account, returnTo: z.string() }) },
    errors: {
      401: "The password is wrong, or the code is unknown, used, or past its time (`unauthorized`).",
      403: "The person is not let in (`sign_in_refused`).",
      429: "Too many failed logins (`rate_limited`).",
    },
    async run({ runtime, body, address }) {
      const { grant, account, returnTo } = await confirm(runtime, { ...body, address }).catch((error) => {
        if (!(error instanceof SignInRefused)) throw error;
        throw forbidden(`Your company's sign-in does not lead in here: ${error.reason}.`, "sign_in_refused");
      });
      return { ...(await tokenPair(runtime.secret, grant)), user: account, returnTo };
    },
  }),
  route("get /api/oidc", tag, {
    summary: "Show the organization's OpenID provider",
    description: "Without the client's secret.",
    access: "owner",
    replies: { 200: shown },
    run: show,
  }),
  route("patch /api/oidc", tag, {
    summary: "Set the organization's OpenID provider",
    description: "Its metadata are read first. `clientSecret` is stored encrypted and never shown.",
    access: "owner",
    body: z.strictObject({
      ...provider,
      groupsClaim: provider.groupsClaim.default("groups"),
      groupRoles: provider.groupRoles.default([]),
      required: provider.required.default(false),
      clientSecret: z.string().min(1).max(1_000).optional().describe("Left out, the stored one stays."),
    }),
    replies: { 200: shown },
    errors: {
      409: "`required` before an owner has signed in by this provider (`oidc_untried`).",
      429: "Too many changes (`rate_limited`).",
    },
    async run(call) {
      const { runtime, caller, body } = call;
      const { organizationId } = caller;
      const refusal = "Too many changes; wait a little.";
      await countAgainst(runtime, { of: ["oidc change", organizationId], most: 60, windowMs: 600_000, refusal });
      if (!isIssuerUrl(runtime.config, body.issuer)) throw inputError("issuer: takes an https address", "issuer");
      const secret = await secretFor(runtime, caller, body);
      const connecting = connectTo(runtime, { issuer: body.issuer, clientId: body.clientId, secret });
      const connection = await connecting.catch((error) => {
        if (!(error instanceof ProviderFailure)) throw error;
        throw inputError(`issuer: ${error.message}`, "issuer");
      });
      connection.close();
      await saveProvider(runtime, caller, body, secret);
      credentialsRevoked(runtime.db);
      return show(call as Call<"owner">);
    },
  }),
  action("delete /api/oidc", tag, {
    summary: "Remove the organization's OpenID provider",
    description:
      "Logins that it began end. People go on with passwords; those without one need a new one from the operator.",
    access: "owner",
    errors: { 404: "There is none (`not_found`)." },
    does: async ({ runtime, caller }) => {
      await removeProvider(runtime.db, caller);
      credentialsRevoked(runtime.db);
    },
  }),
];
