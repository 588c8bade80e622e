// A GraphQL client in one function. Creates an issue, then reads all issues page by page.
import { randomUUID } from "node:crypto";

const { TRACKER_API_KEY = "" } = process.env;
const TRACKER_URL = process.env.TRACKER_URL || "http://127.0.0.1:4000";

const { teams } = await graphql("{ teams(first: 1) { nodes { id key } } }");
const { issueCreate } = await graphql(
  `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier url } } }`,
  // The id makes a repeat safe: the same id and input return the same issue.
  { input: { id: randomUUID(), teamId: teams.nodes[0].id, title: "The parser drops empty lines", priority: 2 } },
);
console.log(`filed ${issueCreate.issue.identifier}: ${issueCreate.issue.url}`);

for (let after; ; ) {
  const { issues } = await graphql(
    `query ($after: String) {
      issues(first: 50, after: $after, filter: { state: { type: { neq: "completed" } } }) {
        nodes { identifier title state { name } }
        pageInfo { hasNextPage endCursor }
      }
    }`,
    { after },
  );
  for (const { identifier, title, state } of issues.nodes) console.log(`${identifier}  ${state.name}  ${title}`);
  if (!issues.pageInfo.hasNextPage) break;
  after = issues.pageInfo.endCursor;
}

/** Returns `data`. Throws the first error, which contains the field and the fix. */
async function graphql(query, variables) {
  const response = await fetch(`${TRACKER_URL}/graphql`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: TRACKER_API_KEY },
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(20_000),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(`${errors[0].extensions?.code}: ${errors[0].message}`);
  return data;
}
