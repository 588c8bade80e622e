import type { AddressInfo } from "node:net";
import DataLoader from "dataloader";
import { buildSchema, type GraphQLObjectType, graphql } from "graphql";
import knexFactory from "knex";
import Koa from "koa";
import { koaBody } from "koa-body";
import { uuidv7 } from "uuidv7";

// The usual stack, in a separate process: koa, koa-body, graphql-js, dataloader, knex. The process checks no
// credential, has only the types of the workloads, no filters and no deliveries, all of which favors the usual stack.

const schema = buildSchema(`
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type User { id: ID! name: String! displayName: String! }
  type Team { id: ID! key: String! name: String! }
  type WorkflowState { id: ID! name: String! type: String! color: String! }
  type IssueLabel { id: ID! name: String! color: String! }
  type IssueLabelConnection { nodes: [IssueLabel!]! }
  type Comment { id: ID! body: String! createdAt: String! user: User }
  type CommentConnection { nodes: [Comment!]! pageInfo: PageInfo! }
  type Issue { id: ID! identifier: String! title: String! description: String priority: Float! createdAt: String!
    updatedAt: String! state: WorkflowState! assignee: User team: Team! labels: IssueLabelConnection!
    comments(first: Int): CommentConnection! }
  type IssueConnection { nodes: [Issue!]! pageInfo: PageInfo! }
  type IssuePayload { success: Boolean! lastSyncId: Float! issue: Issue }
  input IssueCreateInput { teamId: String! title: String! priority: Int }
  type Query { issues(first: Int): IssueConnection! issue(id: String!): Issue! }
  type Mutation { issueCreate(input: IssueCreateInput!): IssuePayload! }
`);

// biome-ignore lint/suspicious/noExplicitAny: rows and resolvers as they usually are
type Any = any;

const knex = knexFactory({
  client: "pg",
  connection: { connectionString: process.env["DATABASE_URL"] ?? "", options: "-c TimeZone=UTC" },
  pool: { min: 0, max: 10 },
});
const organizationId = process.env["ORGANIZATION"] ?? "";
const userId = process.env["USER_ID"] ?? "";

const byId = (table: string) =>
  new DataLoader(async (ids: readonly string[]) => {
    const rows = await knex(table).where({ organizationId }).whereIn("id", ids);
    const found = new Map(rows.map((row: Any) => [row.id, row]));
    return ids.map((id) => found.get(id) ?? null);
  });

const labelsOf = () =>
  new DataLoader(async (ids: readonly string[]) => {
    const rows = await knex("issueLabelLink as k")
      .join("issueLabel as l", (on) => on.on("l.organizationId", "k.organizationId").on("l.id", "k.labelId"))
      .where("k.organizationId", organizationId)
      .whereIn("k.issueId", ids)
      .whereNull("l.archivedAt")
      .orderBy([
        { column: "l.createdAt", order: "desc" },
        { column: "l.id", order: "desc" },
      ])
      .select("k.issueId", "l.id", "l.name", "l.color");
    return ids.map((id) => rows.filter((row: Any) => row.issueId === id));
  });

const context = () => ({
  users: byId("user"),
  teams: byId("team"),
  states: byId("workflowState"),
  labels: labelsOf(),
});

const cursor = (row: Any) =>
  Buffer.from(JSON.stringify(["createdAt-", row.createdAt.toISOString(), row.id])).toString("base64");

async function pageOf(query: Any, first: number) {
  const rows = await query
    .orderBy([
      { column: "createdAt", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .limit(first + 1);
  const nodes = rows.slice(0, first);
  const last = nodes.at(-1);
  return { nodes, pageInfo: { hasNextPage: rows.length > first, endCursor: last ? cursor(last) : null } };
}

async function issueCreate(_: unknown, { input }: Any) {
  return knex.transaction(async (trx) => {
    const [sync] = await trx("sync").where({ organizationId }).increment("lastSyncId", 1).returning("lastSyncId");
    const [team] = await trx("team")
      .where({ organizationId, id: input.teamId })
      .increment("issueCounter", 1)
      .returning("*");
    const now = new Date();
    const row = {
      organizationId,
      id: uuidv7(),
      teamId: team.id,
      number: team.issueCounter,
      title: input.title,
      priority: input.priority,
      stateId: team.defaultStateId,
      creatorId: userId,
      createdAt: now,
      updatedAt: now,
    };
    const [issue] = await trx("issue").insert(row).returning("*");
    const actor = await trx("user").where({ organizationId, id: userId }).first();
    await trx("change").insert({
      organizationId,
      lastSyncId: sync.lastSyncId,
      type: "Issue",
      action: "create",
      event: "issue.created",
      entityId: issue.id,
      teamId: team.id,
      data: JSON.stringify({ ...issue, identifier: `${team.key}-${issue.number}` }),
      actor: JSON.stringify({ id: actor.id, type: "user", name: actor.name, email: actor.email }),
      createdAt: now,
    });
    return { success: true, lastSyncId: Number(sync.lastSyncId), issue };
  });
}

const RESOLVERS: Record<string, Record<string, (source: Any, args: Any, context: Any) => unknown>> = {
  Query: {
    issues: (_, { first }) =>
      pageOf(knex("issue").where({ organizationId, archivedAt: null }).whereRaw("trashed is not true"), first),
    issue: (_, { id }) => knex("issue").where({ organizationId, id }).first(),
  },
  Mutation: { issueCreate },
  Issue: {
    identifier: async (issue, _, { teams }) => `${(await teams.load(issue.teamId)).key}-${issue.number}`,
    createdAt: (issue) => issue.createdAt.toISOString(),
    updatedAt: (issue) => issue.updatedAt.toISOString(),
    state: (issue, _, { states }) => states.load(issue.stateId),
    assignee: (issue, _, { users }) => issue.assigneeId && users.load(issue.assigneeId),
    team: (issue, _, { teams }) => teams.load(issue.teamId),
    labels: async (issue, _, { labels }) => ({ nodes: await labels.load(issue.id) }),
    comments: (issue, { first }) =>
      pageOf(knex("comment").where({ organizationId, issueId: issue.id, archivedAt: null }), first),
  },
  Comment: {
    createdAt: (comment) => comment.createdAt.toISOString(),
    user: (comment, _, { users }) => users.load(comment.userId),
  },
};
for (const [type, fields] of Object.entries(RESOLVERS)) {
  const declared = (schema.getType(type) as GraphQLObjectType).getFields();
  for (const [name, resolve] of Object.entries(fields)) Object.assign(declared[name] ?? {}, { resolve });
}

const app = new Koa();
app.use(koaBody());
app.use(async (ctx) => {
  const { query, variables, operationName } = (ctx.request as unknown as { body: Any }).body;
  ctx.body = await graphql({
    schema,
    source: query,
    variableValues: variables,
    operationName,
    contextValue: context(),
  });
});
const server = app.listen(0, "127.0.0.1", () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
