import type { Tenant } from "../server.ts";

/** Makes a team; answers its id. */
export async function makeTeam({ gql }: Tenant, name = "Engineering"): Promise<string> {
  const query = `mutation ($name: String!) { teamCreate(input: { name: $name }) { team { id } } }`;
  return (await gql(query, { name })).teamCreate.team.id;
}

/** The answer to making or changing an issue. */
export interface Written {
  lastSyncId: number;
  issue: { id: string; identifier: string };
}

/** Makes an issue. */
export async function makeIssue({ gql }: Tenant, teamId: string, title = "An issue"): Promise<Written> {
  const query = `mutation ($input: IssueCreateInput!) {
    issueCreate(input: $input) { lastSyncId issue { id identifier } } }`;
  return (await gql(query, { input: { teamId, title } })).issueCreate;
}

/** Changes an issue. */
export async function updateIssue({ gql }: Tenant, id: string, input: object): Promise<Written> {
  const query = `mutation ($id: String!, $input: IssueUpdateInput!) {
    issueUpdate(id: $id, input: $input) { lastSyncId issue { id identifier } } }`;
  return (await gql(query, { id, input })).issueUpdate;
}
