export interface Workload {
  name: "W1" | "W2" | "W3";
  about: string;
  query: string;
  requests: number;
  /** The required share of the limit, by CPU. */
  goal: number;
}

export const WORKLOADS: readonly Workload[] = [
  {
    name: "W1",
    about: "issues(first: 50) with state, assignee, team and labels",
    requests: 800,
    goal: 0.5,
    query: `query W1($first: Int) { issues(first: $first) {
      nodes {
        id identifier title priority createdAt updatedAt
        state { id name type color } assignee { id name displayName } team { id key name }
        labels { nodes { id name color } }
      }
      pageInfo { hasNextPage endCursor }
    } }`,
  },
  {
    name: "W2",
    about: "an issue with its comments",
    requests: 2_000,
    goal: 0.6,
    query: `query W2($id: String!) { issue(id: $id) {
      id identifier title description priority createdAt
      state { id name type } assignee { id name }
      comments(first: 20) { nodes { id body createdAt user { id name } } pageInfo { hasNextPage endCursor } }
    } }`,
  },
  {
    name: "W3",
    about: "issueCreate",
    requests: 800,
    goal: 0.8,
    query: `mutation W3($input: IssueCreateInput!) { issueCreate(input: $input) {
      success lastSyncId issue { id identifier title priority createdAt state { id name } team { id key } }
    } }`,
  },
];

/**
 * The variables of a request. All contestants send the same values, except that each creates issues in its own team.
 */
export const buildVariables = (name: Workload["name"], ids: { issueId: string; teamId: string }) =>
  ({
    W1: { first: 50 },
    W2: { id: ids.issueId },
    W3: { input: { teamId: ids.teamId, title: "The build broke again", priority: 2 } },
  })[name];
