import { knex, toStatement } from "../../../db/builder.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { forbidden } from "../../errors.ts";
import type { Selection } from "../../read/selection.ts";
import { FieldError, type GraphQLRequest, type RootFieldJsonByKey } from "../request.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * Returns `viewer` for a token without an organization. The result is the account, with the fields of a user that an
 * account also has.
 * @throws FieldError for a field that only a member of an organization has.
 */
export async function readAccountViewer(
  request: GraphQLRequest,
  roots: readonly Selection[],
): Promise<RootFieldJsonByKey> {
  const { runtime, principal, deadline } = request;
  const known = knex("account").where({ id: principal.accountId }).select("id", "name", "email", "createdAt");
  const [account] = await runtime.db.query<Values>(toStatement(known), deadline);
  const user = userOf(account ?? {}, runtime.publicUrl);
  return new Map(roots.map((root) => [root.key, textOf(root, user)]));
}

const userOf = (account: Values, url: string): Values => ({
  ...account,
  updatedAt: account.createdAt,
  archivedAt: null,
  displayName: String(account.email).split("@", 1)[0],
  active: true,
  admin: false,
  owner: false,
  guest: false,
  app: false,
  isMe: true,
  initials: String(account.name).slice(0, 1).toUpperCase(),
  avatarUrl: null,
  createdIssueCount: 0,
  url,
});

function textOf({ key, children }: Selection, user: Values): string {
  const members = children.map(({ key: member, field, constant }) => {
    if (constant === undefined && getOwnProperty(user, field) === undefined) {
      throw new FieldError(
        key,
        forbidden(`${field}: the token is not for an organization; create an organization with POST /api/organization`),
      );
    }
    return `"${member}":${constant ?? JSON.stringify(getOwnProperty(user, field))}`;
  });
  return `{${members.join()}}`;
}
