import type { Tenant } from "../server.ts";

/** Creates a team. Returns the id. */
export async function createTeam({ gql }: Tenant, name = "Engineering"): Promise<string> {
  const query = `mutation ($name: String!) { teamCreate(input: { name: $name }) { team { id } } }`;
  return (await gql(query, { name })).teamCreate.team.id;
}

/** Result of creating or updating an issue. */
export interface WriteResult {
  lastSyncId: number;
  issue: { id: string; identifier: string };
}

export async function createIssue({ gql }: Tenant, teamId: string, title = "An issue"): Promise<WriteResult> {
  const query = `mutation ($input: IssueCreateInput!) {
    issueCreate(input: $input) { lastSyncId issue { id identifier } } }`;
  return (await gql(query, { input: { teamId, title } })).issueCreate;
}

export async function updateIssue({ gql }: Tenant, id: string, input: object): Promise<WriteResult> {
  const query = `mutation ($id: String!, $input: IssueUpdateInput!) {
    issueUpdate(id: $id, input: $input) { lastSyncId issue { id identifier } } }`;
  return (await gql(query, { id, input })).issueUpdate;
}
