import type { LinkTable } from "../../read/entity.ts";

/** Characters of one id in a set: base64 without its padding, so that a hundred of them fit into an entry of an index. */
const CHARS = 22;

/** The labels of an issue as one text: their ids in order. Issues that have the same labels are one entry of an index. */
export const labelSet = (ids: readonly string[]): string =>
  [...ids]
    .sort()
    .map((id) => Buffer.from(id.replaceAll("-", ""), "hex").toString("base64").slice(0, CHARS))
    .join("");

/** Raw SQL here and below: an aggregate of ids, which makes their set. */
export const setOf = (id: string): string =>
  `string_agg(left(encode(uuid_send(${id}), 'base64'), ${CHARS}), '' order by ${id})`;

/** SQL of the set of an issue's labels, made of its links, from SQL of its columns. */
export const labelSetOf = (organizationId: string, issueId: string): string =>
  `coalesce((select ${setOf('l."labelId"')}
    from "issueLabelLink" l where l."organizationId" = ${organizationId} and l."issueId" = ${issueId}), '')`;

/** SQL of the rows that a set stands for, each an `id`. */
export const idsOfSet = (set: string): string =>
  `select encode(decode(substr(${set}, at, ${CHARS}) || '==', 'base64'), 'hex')::uuid as id
    from generate_series(1, length(${set}), ${CHARS}) at`;

/** The links between issues and labels. */
export const LABELS: LinkTable = {
  table: "issueLabelLink",
  from: "issueId",
  to: "labelId",
  publishedAs: "labelIds",
  kept: { column: "labelSet", of: labelSet },
};
