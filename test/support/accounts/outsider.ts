import type { Tenant } from "../server.ts";

/** Imports a comment on an issue by an external user. Returns the id of the external user. */
export async function importExternalUser({ gql }: Pick<Tenant, "gql">, issue: string): Promise<string> {
  const author = { name: "Ann Elsewhere", email: "ann@elsewhere.example" };
  const comment = { externalId: "said", issue, body: "x", author, createdAt: "2020-01-01T00:00:00.000Z" };
  const query = "mutation ($input: IssueBatchImportInput!) { issueBatchImport(input: $input) { success } }";
  await gql(query, { input: { source: "elsewhere", rows: [{ comment }] } });
  return (await gql("{ externalUsers { nodes { id } } }")).externalUsers.nodes[0].id;
}
