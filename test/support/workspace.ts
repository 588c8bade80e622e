import { combinedSchema } from "../../server/graphql/schema.ts";
import { createOrganization, type GraphQLReply, sendGraphQL, type Tenant } from "./server.ts";

type Args = Record<string, unknown>;

/** Entry of the change log, as `changes` returns it. */
export interface LoggedChange {
  lastSyncId: number;
  type: string;
  action: string;
  event: string;
  entityId: string;
  data: any;
  updatedFrom: any;
  actor: any;
}

/** Error of a refused mutation. */
export interface MutationRefusal {
  code: string;
  message: string;
  /** Field that was refused; the first if several checks failed. */
  field: string | undefined;
}

/** Fresh organization with a team ENG, and shortcuts for requests. */
export interface Workspace extends Tenant {
  teamId: string;
  /** Ids of the team's states, by name. */
  states: Record<string, string>;
  /** Performs a mutation. Returns the payload, or throws. `selection` replaces `success lastSyncId`. */
  does(mutation: string, args: Args, selection?: string): Promise<any>;
  /** Performs a mutation that must fail. Returns the error. */
  refuses(mutation: string, args: Args): Promise<MutationRefusal>;
  /** Creates an issue in the team. Returns the issue's fields. */
  issue(input?: Args): Promise<any>;
  /** Reads one issue by id or identifier. */
  read(id: string): Promise<any>;
  /** Reads the change log after a number. */
  log(after?: number): Promise<LoggedChange[]>;
  /** Reads the number of the last change. */
  last(): Promise<number>;
}

/** Fields of an issue that tests compare. */
export const ISSUE_FIELDS = `id identifier number title description priority estimate sortOrder dueDate trashed archivedAt
  createdAt updatedAt startedAt completedAt canceledAt previousIdentifiers labelIds url
  team { id key } state { id name type } assignee { id } creator { id } parent { id } project { id } cycle { id }`;

/** Creates an organization with a team ENG. */
export async function createWorkspace(): Promise<Workspace> {
  return createWorkspaceIn(await createOrganization());
}

/** Returns shortcuts for requests in an organization, with a new team of the given key. */
export async function createWorkspaceIn(tenant: Tenant, key = "ENG"): Promise<Workspace> {
  const does: Workspace["does"] = async (mutation, args, selection) => {
    const { data, errors } = await performMutation(tenant, mutation, args, selection);
    if (errors) throw new Error(JSON.stringify(errors));
    return data[mutation];
  };
  const team = "team { id states { nodes { id name } } }";
  const made = (await does("teamCreate", { input: { key, name: "Engineering" } }, team)).team;
  return {
    ...tenant,
    teamId: made.id,
    states: Object.fromEntries(made.states.nodes.map(({ id, name }: { id: string; name: string }) => [name, id])),
    does,
    refuses: async (mutation, args) => toRefusal(await performMutation(tenant, mutation, args)),
    issue: async (input = {}) =>
      (
        await does(
          "issueCreate",
          { input: { teamId: made.id, title: "An issue", ...input } },
          `issue { ${ISSUE_FIELDS} }`,
        )
      ).issue,
    read: async (id) => (await tenant.gql(`query ($id: String!) { issue(id: $id) { ${ISSUE_FIELDS} } }`, { id })).issue,
    log: (after = 0) => logOf(tenant, after),
    last: async () => (await logOf(tenant, 0)).at(-1)?.lastSyncId ?? 0,
  };
}

/** Performs a mutation with the access token of the owner's login instead of the personal key. */
export async function performSignedIn({ url, accessToken }: Tenant, mutation: string, args: Args, selection?: string) {
  const graphql = (query: string, variables?: Args) => sendGraphQL(url, `Bearer ${accessToken}`, { query, variables });
  const { data, errors } = await performMutation({ graphql }, mutation, args, selection);
  if (errors) throw new Error(JSON.stringify(errors));
  return data[mutation];
}

/** Sends a mutation. The variables have the types from the schema. */
export function performMutation(
  { graphql }: Pick<Tenant, "graphql">,
  mutation: string,
  args: Args,
  selection = "success lastSyncId",
): Promise<GraphQLReply> {
  const field = combinedSchema.getMutationType()?.getFields()[mutation];
  const given = (field?.args ?? []).filter(({ name }) => name in args);
  const variables = given.map(({ name, type }) => `$${name}: ${type}`).join(", ");
  const passed = given.map(({ name }) => `${name}: $${name}`).join(", ");
  return graphql(`mutation (${variables}) { ${mutation}(${passed}) { ${selection} } }`, args);
}

/** Returns the error of a failed request. */
export function toRefusal({ data, errors }: GraphQLReply): MutationRefusal {
  const [error] = errors ?? [];
  if (!error) throw new Error(`nothing was refused: ${JSON.stringify(data)}`);
  const { code, field, validationErrors } = error.extensions;
  return { code, message: error.message, field: field ?? validationErrors?.[0]?.path };
}

async function logOf({ gql }: Tenant, after: number): Promise<LoggedChange[]> {
  const query = `query ($after: SyncCursor) { changes(after: $after, first: 250) {
    nodes { lastSyncId type action event entityId data updatedFrom actor } pageInfo { hasNextPage endCursor } } }`;
  const { nodes, pageInfo } = (await gql(query, { after })).changes;
  return pageInfo.hasNextPage ? [...nodes, ...(await logOf({ gql } as Tenant, Number(pageInfo.endCursor)))] : nodes;
}
