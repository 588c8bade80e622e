import { z } from "zod";
import { knex, toStatement } from "../../../db/builder.ts";
import { isReservedPathSegment } from "../../../formats/own-paths.ts";
import { writeAuditEntry } from "../../accounts/audit.ts";
import { conflict, inputError } from "../../errors.ts";
import { bindOrganization as tenant } from "../../read/row.ts";
import { updateRow } from "../../write/change.ts";
import { findRowOrThrow } from "../../write/find.ts";
import type { ColumnValues } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { nameSchema, nullToUndefined } from "../fields.ts";
import { openIssueCountSql } from "../issue/counts.ts";
import { requestCostRecount } from "../recorded/recount.ts";
import { defineInputMutation, type Resource } from "../resource.ts";
import { CHANGE_SEARCH_LANGUAGE_SQL } from "../texts.ts";
import {
  PRICES_COLUMNS,
  PRICES_INPUT,
  REDACTION_COLUMNS,
  REDACTION_INPUT,
  RETENTION_COLUMNS,
  RETENTION_INPUT,
} from "./settings.ts";

const OrganizationUpdateInput = z.strictObject({
  name: nameSchema.nullish(),
  urlKey: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, "must be 1 to 64 lower-case letters, digits or hyphens")
    .nullish(),
  searchLanguage: z.enum(["english", "german", "french", "spanish", "other"]).nullish(),
  ...REDACTION_INPUT,
  ...RETENTION_INPUT,
  ...PRICES_INPUT,
});
type OrganizationUpdate = z.infer<typeof OrganizationUpdateInput>;

/** Changes the organization. The change is in the audit log, not in the change log. */
async function organizationUpdate(write: WriteContext, input: OrganizationUpdate) {
  const { organizationId, userId } = write.scope;
  const before = await findRowOrThrow(write, "Organization", organizationId);
  const { urlKey, searchLanguage, redactionPatterns: patterns } = input;
  const renamed = urlKey && urlKey !== before.urlKey;
  if (renamed) await checkUrlKey(write, urlKey);
  const previous = before.previousUrlKeys;
  const changed = updateRow(write, "Organization", before, {
    name: nullToUndefined(input.name),
    urlKey: nullToUndefined(urlKey),
    searchLanguage: nullToUndefined(searchLanguage),
    redactionEnabled: nullToUndefined(input.redactionEnabled),
    redactionEntropy: nullToUndefined(input.redactionEntropy),
    redactionPersonalData: nullToUndefined(input.redactionPersonalData),
    ...(patterns && { redactionPatterns: JSON.stringify(patterns) }),
    retentionSessionDays: input.retentionSessionDays,
    retentionTextDays: input.retentionTextDays,
    ...(input.retentionAgents && { retentionAgents: JSON.stringify(input.retentionAgents) }),
    pricesEnabled: nullToUndefined(input.pricesEnabled),
    ...(input.ownPrices && { ownPrices: JSON.stringify(input.ownPrices) }),
    ...(renamed && { previousUrlKeys: [...previous.filter((key) => key !== urlKey), before.urlKey] }),
  });
  if (searchLanguage && searchLanguage !== before.searchLanguage)
    for (const text of CHANGE_SEARCH_LANGUAGE_SQL)
      await write.trx.query({ text, values: [organizationId, searchLanguage] });
  if (changed) {
    // A pattern may contain the secret text itself, so the log contains only the pattern's name.
    const detail = { ...input, ...(patterns && { redactionPatterns: patterns.map((each) => each.name) }) };
    const sets = (inputs: object) => Object.keys(input).some((key) => Object.hasOwn(inputs, key));
    const event = SETTINGS.find(([, inputs]) => sets(inputs))?.[0] ?? "updated";
    if (sets(PRICES_INPUT)) await requestCostRecount(write.trx, organizationId, write.at);
    await writeAuditEntry(write.trx, { event: `organization.${event}`, organizationId, accountId: userId, detail });
  }
  return { id: organizationId };
}

/** Settings of an organization, by the names of their audit events. */
const SETTINGS = [
  ["redaction", REDACTION_INPUT],
  ["retention", RETENTION_INPUT],
  ["prices", PRICES_INPUT],
] as const;

async function checkUrlKey(write: WriteContext, urlKey: string): Promise<void> {
  if (isReservedPathSegment(urlKey)) throw inputError(`${urlKey} is reserved for a page of Trackway`, "urlKey");
  const others = knex("organization").where({ urlKey }).whereNot({ id: write.scope.organizationId });
  const [taken] = await write.trx.query(toStatement(others.select("id")));
  if (taken) throw conflict(`urlKey is taken: ${urlKey}`, "url_key_taken", "urlKey");
}

const columns = {
  id: "uuid",
  createdAt: "timestamp",
  updatedAt: "timestamp",
  name: "text",
  urlKey: "text",
  previousUrlKeys: "text[]",
  searchLanguage: "text",
  ...REDACTION_COLUMNS,
  ...RETENTION_COLUMNS,
  ...PRICES_COLUMNS,
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    Organization: { stored: ColumnValues<typeof columns> };
  }
}

export const organizationResource: Resource = {
  entity: {
    name: "Organization",
    table: "organization",
    names: { organizationId: "id" },
    columns,
    computed: {
      archivedAt: { type: "timestamp", sql: () => "null::timestamptz" },
      userCount: {
        type: "integer",
        sql: (row) => `(select count(*) from "user" u where u."organizationId" = ${tenant(row.build)} and u.active)`,
      },
      createdIssueCount: {
        type: "integer",
        sql: (row) =>
          `(select coalesce(sum(t."issueCounter"), 0) from team t where t."organizationId" = ${tenant(row.build)})`,
      },
      openIssueCount: { type: "integer", sql: openIssueCountSql },
    },
    many: {
      teams: { entity: "Team" },
      users: { entity: "User" },
      labels: { entity: "IssueLabel" },
      projectStatuses: { entity: "ProjectStatus" },
    },
  },
  one: { organization: { entity: "Organization", where: () => "true" } },
  mutations: { organizationUpdate: defineInputMutation("owner", OrganizationUpdateInput, organizationUpdate) },
};
