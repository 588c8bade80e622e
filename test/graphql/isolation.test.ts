import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { type GraphQLField, getNamedType, isInputObjectType, isObjectType } from "graphql";
import { uuidv7 } from "uuidv7";
import { combinedSchema } from "../../server/graphql/schema.ts";
import { updateHourAndGroupCounts } from "../../server/jobs/analytics.ts";
import { storedEntities } from "../../server/read/entity.ts";
import { entityModel } from "../../server/resources/index.ts";
import { connectOauthApp } from "../support/accounts/oauth.ts";
import { importExternalUser } from "../support/accounts/outsider.ts";
import { selectMatches } from "../support/graphql/documents.ts";
import { MUTATION_SAMPLES } from "../support/graphql/mutations.ts";
import { buildArgumentsWith, listIdPositions } from "../support/graphql/positions.ts";
import { callRestApi, startSharedServer } from "../support/server.ts";
import { createWorkspace, performMutation, type Workspace } from "../support/workspace.ts";

type Ids = Record<string, string>;

/** Creates an organization with an entity of every kind. Returns the ids. */
async function populated(): Promise<{ space: Workspace; ids: Ids }> {
  const space = await createWorkspace();
  const { id, creator } = await space.issue();
  const session = { session_id: uuidv7(), user_data: { user_id: uuidv7() } };
  const event = { event_id: uuidv7(), session_id: session.session_id, primitive_name: "agent", args: "", result: "" };
  const headers = { "x-api-key": space.ingestKey };
  await callRestApi(space.url, "POST", "/api/v1/capture-session", { body: session, headers });
  await callRestApi(space.url, "POST", "/api/v1/capture-event", { body: event, headers });
  const ids: Ids = {
    Team: space.teamId,
    User: creator.id,
    Issue: id,
    RecordedSession: session.session_id,
    RecordedUser: session.user_data.user_id,
    RecordedUserExport: session.user_data.user_id,
    RecordedEvent: event.event_id,
  };
  const failed = { ...event, event_id: uuidv7(), success: false, result: "it broke" };
  await callRestApi(space.url, "POST", "/api/v1/capture-event", { body: failed, headers });
  const { runtime } = await startSharedServer();
  await updateHourAndGroupCounts(runtime);
  const { recordedFailureGroups } = await space.gql("{ recordedFailureGroups { nodes { id } } }");
  ids["RecordedFailureGroup"] = recordedFailureGroups.nodes[0].id;
  ids["ExternalUser"] = await importExternalUser(space, id);
  ids["InboxEntry"] = String(
    ([] as unknown[]).concat((await MUTATION_SAMPLES["inboxEntryUpdate"]?.(space))?.["ids"])[0],
  );
  ids["Other"] = (await space.issue()).id;
  ids["IssueDeletedSession"] = String((await MUTATION_SAMPLES["issueDeletedSessionBlank"]?.(space))?.["id"]);
  for (const operation of mutations) {
    const entity = entityOf(operation.name);
    if (operation.name.endsWith("Create") && !ids[entity]) ids[entity] = await made(space, operation, entity, ids);
  }
  expect(Object.keys(ids)).to.include.members(ENTITIES.filter((name) => !GIVEN.has(name)));
  return { space, ids };
}

/** Entities without lookup by id: an organization has only one, or no mutation creates the entity. */
const GIVEN = new Set([
  "Organization",
  "RecordedService",
  "RecordedTotals",
  "RecordedCheckpoint",
  "IssueLease",
  "IssueHistory",
  "IssueProof",
  "IssueSession",
  "RecordedToolFailureGroup",
]);
/** Values that a new row needs although the schema makes them optional. */
const ALSO: Record<string, (ids: Ids) => object> = {
  Comment: ({ Issue: issueId }) => ({ issueId, body: "x" }),
  IssueRelation: ({ Other: relatedIssueId }) => ({ relatedIssueId }),
};

/** Creates a row with the required arguments of its mutation. Returns the id. */
async function made(space: Workspace, operation: GraphQLField<unknown, unknown>, entity: string, ids: Ids) {
  const args = buildArgumentsWith(operation, entity, { path: [], entity }, "", ids);
  Object.assign(args["input"] as object, ALSO[entity]?.(ids));
  const payload = getNamedType(operation.type);
  const fields = isObjectType(payload) ? Object.values(payload.getFields()) : [];
  const field = fields.find(({ type }) => getNamedType(type).name === entity)?.name ?? "";
  return (await space.does(operation.name, args, `${field} { id }`))[field].id;
}

/** Replaces an id in a reply, so that replies for different ids can be compared. */
const blind = (reply: { status: number; data?: unknown; errors?: unknown; body?: unknown }, id: string): string => {
  const { status, data, errors, body } = reply;
  const text = JSON.stringify({ status, data, errors, body }).replaceAll(id, "<id>");
  expect(text).to.not.contain("INTERNAL_SERVER_ERROR");
  return text.replace(/"request_id":"[^"]*"/, "");
};

const mutations = Object.values(combinedSchema.getMutationType()?.getFields() ?? {});
const queries = Object.values(combinedSchema.getQueryType()?.getFields() ?? {});

/** Entities that can be looked up by an id, longest name first. */
const ENTITIES = [
  ...storedEntities(entityModel),
  ...[...entityModel.values()].filter(({ name }) => name === "InboxEntry"),
]
  .filter(({ columns }) => columns["id"])
  .map(({ name }) => name)
  .sort((one, other) => other.length - one.length);

/** Finds the type of a mutation: the longest name of a type at the start of the mutation's name. */
function entityOf(name: string): string {
  return ENTITIES.find((type) => name.toLowerCase().startsWith(type.toLowerCase())) ?? "";
}

/** Reads all data of an organization, to check that no other organization changed it. */
const contents = async ({ gql, last }: Workspace) => [
  await last(),
  await gql(`{ issues(includeArchived: true) { nodes { id updatedAt } } teams { nodes { id key } } webhooks { nodes { id url } }
    comments { nodes { body } } projectStatuses { nodes { name } } organization { name urlKey } }`),
];

describe("another organization's id", () => {
  let own: Awaited<ReturnType<typeof populated>>;
  let foreign: typeof own;
  /**
   * Organization that creates entities with client ids. Ids of other organizations can be chosen, and here they
   * disturb no other test.
   */
  let chooser: typeof own;
  let untouched: unknown;

  before(async () => {
    [own, foreign, chooser] = [await populated(), await populated(), await populated()];
    untouched = await contents(foreign.space);
  });

  for (const operation of mutations) {
    for (const position of listIdPositions(operation, entityOf(operation.name))) {
      it(`is not found by ${operation.name} as ${position.path.join(".")}`, async () => {
        const chosen = position.path.join(".").endsWith("s.id") || position.path[1] === "id";
        const { space, ids } = chosen && operation.name.endsWith("Create") ? chooser : own;
        const reply = async (id: string) => {
          const args = buildArgumentsWith(operation, entityOf(operation.name), position, id, ids);
          return blind(await performMutation(space, operation.name, args, "success"), id);
        };
        const id = foreign.ids[position.entity] ?? "";
        expect(await reply(id)).to.equal(await reply(randomUUID()));
      });
    }
  }

  for (const operation of queries) {
    const entity = getNamedType(operation.type).name;
    for (const position of listIdPositions(operation, entity)) {
      it(`is not found by ${operation.name} as ${position.path.join(".")}`, async () => {
        const reply = async (id: string) => {
          const args = buildArgumentsWith(operation, entity, position, id, own.ids);
          return blind(await own.space.graphql(...query(operation, args)), id);
        };
        // Node accepts the id of any type; relay.slow.test.ts covers all types.
        const id = foreign.ids[position.entity === "Node" ? "Issue" : position.entity];
        expect(await reply(id ?? "")).to.equal(await reply(randomUUID()));
      });
    }
  }

  for (const operation of queries) {
    for (const [path, entity] of filtersOf(operation)) {
      it(`matches nothing in ${operation.name} filtered by ${path.join(".")}`, async () => {
        const filter = path.reduceRight((value: unknown, name) => ({ [name]: value }), {
          eq: foreign.ids[entity] ?? randomUUID(),
        });
        const { data, errors } = await own.space.graphql(...query(operation, { filter, term: "x", title: "x" }));
        const found = data?.[operation.name];
        expect(errors).to.equal(undefined);
        if ("nodes" in found) expect(found.nodes).to.deep.equal([]);
        // A count must be zero in every part of the range.
        else
          expect(JSON.stringify(found, (key, value) => (key === "position" ? "" : value)))
            .to.match(/:0[,}]/)
            .and.not.match(/[1-9]/);
      });
    }
  }

  it("is not found by any path of the control plane", async () => {
    const theirs = await controlled(foreign.space, foreign.ids);
    for (const { method, path, parameters } of await paths(own.space)) {
      const reply = async (ids: Ids) => {
        const filled = parameters.reduce((url, name) => url.replace(`{${name}}`, ids[name] ?? ""), path);
        const answer = await own.space.rest(method, filled, BODIES[path]);
        return parameters.reduce((text, name) => text.replaceAll(ids[name] ?? "", "<id>"), blind(answer, "<id>"));
      };
      const unknown = Object.fromEntries(parameters.map((name) => [name, randomUUID()]));
      const known = Object.fromEntries(parameters.map((name) => [name, theirs[`${path} ${name}`] ?? randomUUID()]));
      expect(await reply(known), `${method} ${path}`).to.equal(await reply(unknown));
    }
  });

  it("of a team is not found by the control plane's webhooks", async () => {
    const reply = async (teamId: string) =>
      blind(await own.space.rest("POST", "/api/webhooks", { target: "https://example.com", teamId }), teamId);
    expect(await reply(foreign.ids["Team"] ?? "")).to.equal(await reply(randomUUID()));
  });

  after(async () => expect(await contents(foreign.space)).to.deep.equal(untouched));
});

/** Builds a document with one root field and some arguments. */
function query(
  operation: GraphQLField<unknown, unknown>,
  args: Record<string, unknown>,
): [string, Record<string, unknown>] {
  const given = operation.args.filter(({ name }) => name in args);
  const variables = given.map(({ name, type }) => `$${name}: ${type}`).join(", ");
  const passed = given.map(({ name }) => `${name}: $${name}`).join(", ");
  const type = getNamedType(operation.type);
  const counts = operation.args.some(({ name }) => name === "filter") && selectMatches(operation);
  const selection = isObjectType(type) && "nodes" in type.getFields() ? "nodes { __typename }" : counts || "__typename";
  return [`query (${variables}) { ${operation.name}(${passed}) { ${selection} } }`, args];
}

/** Lists the ids by which a list can be filtered: the ids of the entries and of linked entities. */
function filtersOf({ args }: GraphQLField<unknown, unknown>): [path: string[], entity: string][] {
  const filter = getNamedType(args.find(({ name }) => name === "filter")?.type);
  if (!isInputObjectType(filter)) return [];
  return Object.values(filter.getFields()).flatMap((field): [string[], string][] => {
    const type = getNamedType(field.type);
    if (field.name === "id") return [[["id"], entityNamed(filter.name)]];
    if (!isInputObjectType(type) || !("id" in type.getFields())) return [];
    return ["and", "or"].includes(field.name) ? [] : [[[field.name, "id"], entityNamed(type.name)]];
  });
}

function entityNamed(filter: string): string {
  return filter.replace(/^Nullable|(Collection)?Filter$/g, "");
}

/** Members that paths of the control plane require in the body. */
const BODIES: Record<string, object> = {
  "/api/webhooks/{id}": { label: "mine now" },
  "/api/webhooks/{id}/redeliver": { from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z" },
  "/api/members/{id}": { role: "member" },
};

/** Lists every path of the control plane that takes an id. */
async function paths({ url }: Workspace): Promise<{ method: string; path: string; parameters: string[] }[]> {
  const { body } = await callRestApi(url, "GET", "/api/openapi.json");
  return Object.entries(body["paths"] as Record<string, object>).flatMap(([path, methods]) => {
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const all = Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path, parameters }));
    return parameters.length > 0 ? all : [];
  });
}

/** Returns an organization's ids for the control plane, by path and parameter. */
async function controlled(space: Workspace, ids: Ids): Promise<Ids> {
  const { rest } = space;
  await connectOauthApp(space);
  const first = async (path: string, list: string) =>
    String(((await rest("GET", path)).body[list] as { id: string }[])[0]?.id);
  const [webhook, member] = [ids["Webhook"] ?? "", ids["User"] ?? ""];
  return {
    ...Object.fromEntries(
      ["", "/deliveries", "/redeliver", "/rotate-secret", "/deliveries/{deliveryId}/redeliver"].map((path) => [
        `/api/webhooks/{id}${path} id`,
        webhook,
      ]),
    ),
    "/api/members/{id} id": member,
    "/api/api-keys/{id} id": await first("/api/api-keys", "apiKeys"),
    "/api/connections/{id} id": await first("/api/connections", "connections"),
    "/api/ingest-keys/{id} id": await first("/api/ingest-keys", "ingestKeys"),
  };
}
