import { z } from "zod";
import { switchOrganization } from "../../accounts/login/log-in.ts";
import { createOrganization } from "../../accounts/organization.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";

const create = route({
  method: "post",
  path: "/api/organization",
  tag: "Organization",
  summary: "Create an organization",
  description:
    "The caller becomes its owner. The new tokens carry the organization; earlier ones stay good without it. It starts without a team: create one with teamCreate on /graphql.",
  access: "account",
  body: z.strictObject({ name: field.name, urlKey: field.newUrlKey }),
  replies: {
    201: field.tokens.extend({ organization: z.object({ id: field.id, name: z.string(), urlKey: z.string() }) }),
  },
  errors: { 409: "The urlKey is taken (`url_key_taken`)." },
  async run({ runtime, body, caller }) {
    const { id, name, urlKey } = await createOrganization(runtime.db, { ...body, accountId: caller.accountId });
    return { organization: { id, name, urlKey }, ...(await switchOrganization(runtime, caller, urlKey)) };
  },
});

/** Organizations. */
export const organizationRoutes = [create];
