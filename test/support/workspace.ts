import { schema } from "../../server/graphql/schema.ts";
import { freshOrganization, type GraphQLReply, sendGraphQL, type Tenant } from "./server.ts";

type Args = Record<string, unknown>;

/** One entry of the change log, as `changes` answers it. */
export interface Logged {
  lastSyncId: number;
  type: string;
  action: string;
  event: string;
  entityId: string;
  data: any;
  updatedFrom: any;
  actor: any;
}

/** A refused mutation's error. */
export interface Refusal {
  code: string;
  message: string;
  /** The field at fault; of several failed checks the first. */
  field: string | undefined;
}

/** A fresh organization with a team ENG, and short ways to work in it. */
export interface Workspace extends Tenant {
  teamId: string;
  /** Ids of the team's states by their names. */
  states: Record<string, string>;
  /** Performs a mutation; answers its payload, or throws. `selection` replaces `success lastSyncId`. */
  does(mutation: string, args: Args, selection?: string): Promise<any>;
  /** Performs a mutation that must fail; answers why. */
  refuses(mutation: string, args: Args): Promise<Refusal>;
  /** Makes an issue of the team; answers its fields. */
  issue(input?: Args): Promise<any>;
  /** One issue by id or identifier. */
  read(id: string): Promise<any>;
  /** The change log after a number. */
  log(after?: number): Promise<Logged[]>;
  /** The number of the last change. */
  last(): Promise<number>;
}

/** Fields of an issue that tests look at. */
export const ISSUE = `id identifier number title description priority estimate sortOrder dueDate trashed archivedAt
  createdAt updatedAt startedAt completedAt canceledAt previousIdentifiers labelIds url
  team { id key } state { id name type } assignee { id } creator { id } parent { id } project { id } cycle { id }`;

/** Makes an organization with a team ENG. */
export async function freshWorkspace(): Promise<Workspace> {
  return workspaceOf(await freshOrganization());
}

/** The short ways to work in an organization, with a new team of that key. */
export async function workspaceOf(tenant: Tenant, key = "ENG"): Promise<Workspace> {
  const does: Workspace["does"] = async (mutation, args, selection) => {
    const { data, errors } = await perform(tenant, mutation, args, selection);
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
    refuses: async (mutation, args) => refusalOf(await perform(tenant, mutation, args)),
    issue: async (input = {}) =>
      (await does("issueCreate", { input: { teamId: made.id, title: "An issue", ...input } }, `issue { ${ISSUE} }`))
        .issue,
    read: async (id) => (await tenant.gql(`query ($id: String!) { issue(id: $id) { ${ISSUE} } }`, { id })).issue,
    log: (after = 0) => logOf(tenant, after),
    last: async () => (await logOf(tenant, 0)).at(-1)?.lastSyncId ?? 0,
  };
}

/** Performs a mutation as its person who signed in, and not by their key. */
export async function doesSignedIn({ url, accessToken }: Tenant, mutation: string, args: Args, selection?: string) {
  const graphql = (query: string, variables?: Args) => sendGraphQL(url, `Bearer ${accessToken}`, { query, variables });
  const { data, errors } = await perform({ graphql }, mutation, args, selection);
  if (errors) throw new Error(JSON.stringify(errors));
  return data[mutation];
}

/** Sends a mutation whose variables have the types the schema gives them. */
export function perform(
  { graphql }: Pick<Tenant, "graphql">,
  mutation: string,
  args: Args,
  selection = "success lastSyncId",
): Promise<GraphQLReply> {
  const field = schema.getMutationType()?.getFields()[mutation];
  const given = (field?.args ?? []).filter(({ name }) => name in args);
  const variables = given.map(({ name, type }) => `$${name}: ${type}`).join(", ");
  const passed = given.map(({ name }) => `${name}: $${name}`).join(", ");
  return graphql(`mutation (${variables}) { ${mutation}(${passed}) { ${selection} } }`, args);
}

/** Why a request failed. */
export function refusalOf({ data, errors }: GraphQLReply): Refusal {
  const [error] = errors ?? [];
  if (!error) throw new Error(`nothing was refused: ${JSON.stringify(data)}`);
  const { code, field, validationErrors } = error.extensions;
  return { code, message: error.message, field: field ?? validationErrors?.[0]?.path };
}

async function logOf({ gql }: Tenant, after: number): Promise<Logged[]> {
  const query = `query ($after: SyncCursor) { changes(after: $after, first: 250) {
    nodes { lastSyncId type action event entityId data updatedFrom actor } pageInfo { hasNextPage endCursor } } }`;
  const { nodes, pageInfo } = (await gql(query, { after })).changes;
  return pageInfo.hasNextPage ? [...nodes, ...(await logOf({ gql } as Tenant, Number(pageInfo.endCursor)))] : nodes;
}
