import { TEAMS, USERS } from "./rows.ts";

/** A user's action, as a GraphQL document. */
export interface Operation {
  name: string;
  /** Maximum p95 in ms, for any amount of data. */
  limit: number;
  query: string;
  variables?(round: number): Record<string, unknown>;
}

export const uuid = (kind: string, n: number): string =>
  `01990000-0000-7${kind}-8000-${n.toString(16).padStart(12, "0")}`;
export const pickTeam = (round: number) => uuid("0c0", (round % TEAMS) + 1);
/** The identifier of an existing issue. rows.ts numbers the issues of all teams together, starting at 1. */
function identifier(round: number): string {
  const issue = 37 * round + 1;
  return `T${(issue % TEAMS) + 1}-${Math.floor(issue / TEAMS) + 1}`;
}
const user = (round: number) => uuid("0b0", (round % USERS) + 1);

const NODE = "identifier title priority state { name } assignee { name } labels(first: 10) { nodes { name } }";
const ISSUES = `query ($filter: IssueFilter, $sort: [IssueSortInput!], $orderBy: PaginationOrderBy) {
  issues(filter: $filter, sort: $sort, orderBy: $orderBy, first: 50) { nodes { ${NODE} } pageInfo { hasNextPage endCursor } } }`;
const SEARCH = `query ($term: String!, $filter: IssueFilter) { searchIssues(term: $term, filter: $filter, first: 20) {
  nodes { ${NODE} } pageInfo { hasNextPage } } }`;
const COMMENTS = `query ($filter: CommentFilter) { comments(filter: $filter, first: 20) { nodes { id body } } }`;
const SESSIONS = `query ($filter: RecordedSessionFilter) { recordedSessions(filter: $filter, first: 20) { nodes { id startedAt } } }`;

type Values = Record<string, unknown>;
type Row = [name: string, limit: number, variables: Values | ((round: number) => Values)];
const all = (query: string, rows: readonly Row[]): Operation[] =>
  rows.map(([name, limit, given]) => {
    const variables = typeof given === "function" ? given : () => given;
    return { name, limit, query, variables };
  });
const filtered = (filter: object) => ({ filter });
const sorted = (field: string, order = "Ascending") => ({ sort: [{ [field]: { order } }] });
const open = { state: { type: { in: ["backlog", "unstarted", "started"] } } };
const ready = { ready: { eq: true } };

const LISTS = all(ISSUES, [
  ["newest", 25, {}],
  ["last updated", 25, { orderBy: "updatedAt" }],
  ["last updated, mine", 100, { orderBy: "updatedAt", ...filtered({ assignee: { isMe: { eq: true } } }) }],
  [
    "last updated, of a team",
    100,
    (n) => ({ orderBy: "updatedAt", ...filtered({ team: { id: { eq: pickTeam(n) } } }) }),
  ],
  ["of a team", 25, (n) => filtered({ team: { id: { eq: pickTeam(n) } } })],
  ["of a team, by key", 25, (n) => filtered({ team: { key: { eq: `T${(n % TEAMS) + 1}` } } })],
  ["of an assignee", 25, (n) => filtered({ assignee: { id: { eq: user(n) } } })],
  ["mine and open", 100, filtered({ assignee: { isMe: { eq: true } }, ...open })],
  ["open and urgent", 100, filtered({ ...open, priority: { eq: 1 } })],
  [
    "open, of a person by name",
    100,
    (n) => filtered({ ...open, assignee: { name: { eq: `Person ${(n % USERS) + 1}` } } }),
  ],
  ["updated since", 100, filtered({ updatedAt: { gt: "2026-01-02T00:00:00Z" } })],
  ["not updated since", 100, filtered({ updatedAt: { lt: "2026-01-01T01:00:00Z" } })],
  ["with a label", 30, (n) => filtered({ labels: { some: { name: { eq: `label ${(n % 30) + 1}` } } } })],
  ["with a label, by id", 30, (n) => filtered({ labels: { some: { id: { eq: uuid("0e0", (n % 30) + 1) } } } })],
  ["of a project", 25, (n) => filtered({ project: { id: { eq: uuid("1b0", (n % 50) + 1) } } })],
  ["of a cycle, by number", 100, filtered({ cycle: { number: { eq: 2 } } })],
  ["with open children", 100, filtered({ children: { some: { ...open } } })],
  ["by number", 100, filtered({ number: { eq: 77 } })],
  ["ready", 20, { filter: ready, sort: [{ ready: {} }] }],
  ["ready, of a team", 20, (n) => ({ filter: { ...ready, team: { id: { eq: pickTeam(n) } } }, sort: [{ ready: {} }] })],
  [
    "ready, of a team by key",
    20,
    (n) => ({ filter: { ...ready, team: { key: { eq: `T${(n % TEAMS) + 1}` } } }, sort: [{ ready: {} }] }),
  ],
]);

const NOTHING = all(ISSUES, [
  ["nothing: title", 100, filtered({ title: { eq: "no such title" } })],
  ["nothing: priority", 100, filtered({ priority: { eq: 9 } })],
  ["nothing: due date", 100, filtered({ dueDate: { gt: "2040-01-01" } })],
  ["nothing: state type", 100, filtered({ state: { type: { eq: "triage" } } })],
  ["nothing: assignee name", 100, filtered({ assignee: { name: { eq: "Nobody" } } })],
  ["nothing: label", 100, filtered({ labels: { some: { name: { eq: "no such label" } } } })],
  [
    "nothing: or",
    100,
    filtered({ or: [{ state: { name: { eq: "Nowhere" } } }, { assignee: { name: { eq: "Nobody" } } }] }),
  ],
  ["nothing: title contains", 100, filtered({ title: { containsIgnoreCase: "nosuchword" } })],
  ["nothing: text contains", 100, filtered({ searchableContent: { contains: "nosuchword" } })],
]);

const SORTS = all(ISSUES, [
  ["sort created", 50, sorted("createdAt")],
  ["sort updated, newest first", 50, sorted("updatedAt", "Descending")],
  ["sort priority", 50, sorted("priority")],
  ["sort priority, lowest first", 50, sorted("priority", "Descending")],
  ["sort title", 50, sorted("title")],
  ["sort state", 50, sorted("workflowState")],
  [
    "sort priority, of a team",
    50,
    (n) => ({ ...sorted("priority"), ...filtered({ team: { id: { eq: pickTeam(n) } } }) }),
  ],
  ["sort state, mine", 100, { ...sorted("workflowState"), ...filtered({ assignee: { isMe: { eq: true } } }) }],
]);

const SEARCHES = all(SEARCH, [
  ["search rare", 50, { term: "quixotic" }],
  ["search common", 200, { term: "kesta" }],
  ["search three words", 200, { term: "kesta musta dosta" }],
  ["search identifier", 10, (n) => ({ term: identifier(n) })],
  ["search nothing", 50, { term: "nosuchword" }],
  ["search one letter", 200, { term: "k" }],
  ["search two letters", 200, { term: "zy" }],
  ["search two characters of Chinese", 200, { term: "登录" }],
  ["search rare, open", 50, { term: "quixotic", filter: open }],
  ["search another form", 200, { term: "quixotically" }],
  ["search the beginning", 200, { term: "quixo" }],
  ["search most of three words", 200, { term: "quixotic kesta nosuchword" }],
  ["search a phrase", 200, { term: '"kesta musta"' }],
  ["search without a word", 200, { term: "quixotic -kesta" }],
]);

const SIMILAR = `query ($title: String!, $text: String) { similarIssues(title: $title, text: $text, first: 5) {
  nodes { ${NODE} } } }`;
const SIMILARS = all(SIMILAR, [
  ["similar issues", 200, { title: "kesta musta dosta" }],
  ["similar issues, rare", 200, { title: "a quixotic kesta", text: "musta dosta quixotic" }],
]);

const GROUPS = `query ($groupBy: IssueGroupBy, $filter: IssueFilter) {
  issueGroups(groupBy: $groupBy, filter: $filter) { count groups { name count } } }`;

const STOPPED = `query ($filter: IssueFilter) { issueGroups(filter: $filter, stopAt: 100) { count } }`;

const COUNTS: Operation[] = [
  ...all(GROUPS, [
    [
      "count of a team by state",
      200,
      (n) => ({ groupBy: "state", ...filtered({ team: { id: { eq: pickTeam(n) } } }) }),
    ],
    [
      "count of a team by label",
      300,
      (n) => ({ groupBy: "label", ...filtered({ team: { id: { eq: pickTeam(n) } } }) }),
    ],
    ["count of mine and open", 200, filtered({ assignee: { isMe: { eq: true } }, ...open })],
  ]),
  ...all(STOPPED, [
    ["count of mine and open that stops", 20, filtered({ assignee: { isMe: { eq: true } }, ...open })],
    ["count of current cycles that stops", 20, filtered({ cycle: { isActive: { eq: true } }, ...open })],
  ]),
  { name: "teams with counts", limit: 20, query: "{ teams(first: 50) { nodes { key issueCount } } }" },
  { name: "projects with progress", limit: 20, query: "{ projects(first: 50) { nodes { name progress } } }" },
  { name: "cycles with progress", limit: 20, query: "{ cycles(first: 50) { nodes { number progress } } }" },
  { name: "people with counts", limit: 20, query: "{ users(first: 50) { nodes { name createdIssueCount } } }" },
];

const SINGLE: Operation[] = [
  {
    name: "an issue with its comments",
    limit: 25,
    query: `query ($id: String!) { issue(id: $id) { ${NODE} description comments(first: 50) { nodes { body user { name } } } } }`,
    variables: (round) => ({ id: identifier(round) }),
  },
  { name: "changes", limit: 25, query: "{ changes(first: 50) { nodes { lastSyncId } } }" },
];

const DISCUSSION = all(COMMENTS, [
  ["comments, newest", 25, {}],
  ["comments with a word", 200, filtered({ body: { containsIgnoreCase: "kesta" } })],
  ["comments, nothing", 200, filtered({ body: { containsIgnoreCase: "nosuchword" } })],
]);

const RECORDED = all(SESSIONS, [
  ["sessions, newest", 25, {}],
  ["sessions of an agent", 50, filtered({ agent: { eq: "coder" } })],
  ["sessions of a rare agent", 50, filtered({ agent: { eq: "rare-agent" } })],
  ["sessions of no agent", 50, filtered({ agent: { eq: "no-such-agent" } })],
  [
    "sessions of no agent since",
    50,
    filtered({ agent: { eq: "no-such-agent" }, startedAt: { gt: "2026-01-20T00:00:00Z" } }),
  ],
  ["sessions by trait of one", 50, filtered({ user: { traits: { key: "seat", eq: "7" } } })],
  ["sessions by trait of none", 50, filtered({ user: { traits: { key: "plan", eq: "none" } } })],
  ["sessions by metadata of none", 50, filtered({ metadata: { key: "branch", eq: "no-such-branch" } })],
  ["sessions that failed", 50, filtered({ hasFailures: { eq: true } })],
]);

const QUARTER = { from: "2026-01-01T00:30:00Z", to: "2026-04-01T00:30:00Z" };
const TOOLS: Operation[] = [
  {
    name: "tools of 90 days, with their course",
    limit: 50,
    query: `query ($from: DateTimeOrDuration, $to: DateTimeOrDuration) { recordedToolStats(from: $from, to: $to) {
      truncated tools { name calls failures p50 p95 p99 trend failureTrend } } }`,
    variables: () => QUARTER,
  },
  {
    name: "a tool's 90 days",
    limit: 50,
    query: `query ($from: DateTimeOrDuration, $to: DateTimeOrDuration, $name: String!) {
      recordedTool(from: $from, to: $to, name: $name) { calls failures sessions p50 p95 p99 bandCalls bandFailures
        buckets { at calls failures p50 p95 bands } failureGroups { message count sessions users } } }`,
    variables: () => ({ ...QUARTER, name: "Bash" }),
  },
];

const usage = (groupBy: string, limit: number): Operation => ({
  name: `90 days of usage by ${groupBy}`,
  limit,
  query: `query ($from: DateTimeOrDuration, $to: DateTimeOrDuration) {
      recordedUsage(groupBy: ${groupBy}, from: $from, to: $to) { truncated
        groups { name cost inputTokens outputTokens sessions days { day cost inputTokens outputTokens sessions } } } }`,
  variables: () => QUARTER,
});
const USAGE = [
  ...["model", "agent", "user", "tool"].map((groupBy) => usage(groupBy, 50)),
  ...["label", "issue", "repository"].map((groupBy) => usage(groupBy, 300)),
];

const NESTED: Operation = {
  name: "a session of 2,000 events, nested",
  limit: 50,
  query: `query ($id: String!) { recordedSession(id: $id) { events(first: 50, filter: { root: { eq: true } }) { nodes { primitiveName
    children(first: 50) { nodes { primitiveName } } } } } }`,
  variables: () => ({ id: uuid("2a0", 0) }),
};

const CLAIM =
  "mutation ($filter: IssueFilter) { issueClaim(input: { filter: $filter }) { issue { identifier } lease { fence } } }";
const WRITES: Operation[] = [
  {
    name: "create an issue",
    limit: 25,
    query:
      'mutation ($team: String!) { issueCreate(input: { teamId: $team, title: "One more" }) { issue { identifier } } }',
    variables: (round) => ({ team: pickTeam(round) }),
  },
  {
    name: "change an issue's priority",
    limit: 50,
    query:
      "mutation ($id: String!, $to: Int!) { issueUpdate(id: $id, input: { priority: $to }) { issue { priority } } }",
    variables: (round) => ({ id: uuid("0f0", 500 + round), to: round % 4 }),
  },
  { name: "claim the next", limit: 20, query: CLAIM, variables: () => ({ filter: {} }) },
  {
    name: "claim the next of a team",
    limit: 20,
    query: CLAIM,
    variables: (n) => ({ filter: { team: { id: { eq: pickTeam(n) } } } }),
  },
];

export const OPERATIONS: readonly Operation[] = [
  ...LISTS,
  ...NOTHING,
  ...SORTS,
  ...SEARCHES,
  ...SIMILARS,
  ...COUNTS,
  ...SINGLE,
  ...DISCUSSION,
  ...RECORDED,
  ...TOOLS,
  ...USAGE,
  NESTED,
  ...WRITES,
];
