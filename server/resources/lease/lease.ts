import { nullable } from "../../read/entity.ts";
import type { ColumnValues } from "../../write/rows.ts";
import { organizationLink } from "../fields.ts";
import { issueHandover } from "../handover/handover.ts";
import { defineIdMutation, defineInputMutation, type Resource } from "../resource.ts";
import { issueClaim, onClaimReplay } from "./claim.ts";
import { IssueClaimInput } from "./input.ts";
import { readyIssues } from "./ready.ts";
import { issueComplete, issueRelease } from "./release.ts";
import { issueRenew } from "./renew.ts";

const columns = {
  id: "uuid",
  fence: "integer",
  holderId: "uuid",
  sessionId: nullable("text"),
  ttlSeconds: "integer",
  grantedAt: "timestamp",
  expiresAt: "timestamp",
  costLimit: nullable("float"),
  tokenLimit: nullable("integer"),
  minuteLimit: nullable("integer"),
  equalCallLimit: nullable("integer"),
  trippedAt: nullable("timestamp"),
  trippedBy: nullable("text"),
} as const;
const internal = {
  renewedAt: "timestamp",
  checkAt: "timestamp",
  lookedAt: nullable("timestamp"),
  signs: nullable("integer"),
  events: nullable("integer"),
  unsure: "boolean",
  stateId: "uuid",
  formerId: nullable("uuid"),
  costBefore: "float",
  tokensBefore: "integer",
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    IssueLease: { stored: ColumnValues<typeof columns & typeof internal> };
  }
}

/**
 * The holder of an issue, and the expiry of the lease. Separate statements write leases, because leases use the time
 * of the database.
 */
export const issueLeaseResource: Resource = {
  entity: {
    name: "IssueLease",
    table: "issueLease",
    columns,
    internal,
    one: {
      organization: organizationLink,
      issue: { entity: "Issue", by: "id", onDelete: "cascade-silently" },
      holder: { entity: "User", by: "holderId", onDelete: "cascade-silently" },
    },
  },
  values: { readyIssues },
  mutations: {
    issueClaim: {
      ...defineInputMutation("member", IssueClaimInput, issueClaim),
      onReplay: onClaimReplay,
      reads: ["recorded_event"],
    },
    issueRenew: defineIdMutation("member", issueRenew),
    issueRelease: { ...defineIdMutation("member", issueRelease), reads: ["recorded_event"] },
    issueHandover: { ...defineIdMutation("member", issueHandover), reads: ["recorded_event"] },
    issueComplete: { ...defineIdMutation("member", issueComplete), reads: ["recorded_event"] },
  },
};
