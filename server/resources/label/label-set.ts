import type { LinkTable } from "../../read/entity.ts";

/** Characters per id in a set: base64 without padding, so that a hundred ids fit into an index entry. */
const CHARS = 22;

/**
 * Returns the labels of an issue as a single text: the sorted ids. Issues with the same labels share an index entry.
 */
export const labelSet = (ids: readonly string[]): string =>
  [...ids]
    .sort()
    .map((id) => Buffer.from(id.replaceAll("-", ""), "hex").toString("base64").slice(0, CHARS))
    .join("");

/** Raw SQL, also in the functions below: an aggregate that combines ids into a set. */
export const labelSetAggregateSql = (id: string): string =>
  `string_agg(left(encode(uuid_send(${id}), 'base64'), ${CHARS}), '' order by ${id})`;

/** SQL for the set of an issue's labels, computed from the links. */
export const issueLabelSetSql = (organizationId: string, issueId: string): string =>
  `coalesce((select ${labelSetAggregateSql('l."labelId"')}
    from "issueLabelLink" l where l."organizationId" = ${organizationId} and l."issueId" = ${issueId}), '')`;

/** SQL that splits a label set into rows with an `id` each. */
export const labelSetRowsSql = (set: string): string =>
  `select encode(decode(substr(${set}, at, ${CHARS}) || '==', 'base64'), 'hex')::uuid as id
    from generate_series(1, length(${set}), ${CHARS}) at`;

/** Links between issues and labels. */
export const ISSUE_LABEL_LINK_TABLE: LinkTable = {
  table: "issueLabelLink",
  from: "issueId",
  to: "labelId",
  publishedAs: "labelIds",
  kept: { column: "labelSet", of: labelSet },
};
