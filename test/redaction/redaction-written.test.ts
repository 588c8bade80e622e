import { expect } from "chai";
import { type GraphQLInputType, getNamedType, isInputObjectType, isScalarType } from "graphql";
import { z } from "zod";
import { routes } from "../../server/control/routes.ts";
import { USER_TEXT_FIELDS } from "../../server/graphql/operation/redacted-input.ts";
import { combinedSchema } from "../../server/graphql/schema.ts";
import { IMPORT_ROW_SCHEMAS } from "../../server/resources/import/input.ts";
import { callRestApi, createOrganization } from "../support/server.ts";
import { createWorkspaceIn } from "../support/workspace.ts";
import { ALNUM, random } from "./corpus/random.ts";

/** Names of members that contain no text by users, with the reason. */
const NOT_WRITTEN: Readonly<Record<string, readonly string[]>> = {
  "ids, by which rows find each other": [
    ...[
      "id",
      "ids",
      "teamId",
      "stateId",
      "assigneeId",
      "delegateId",
      "parentId",
      "projectId",
      "projectMilestoneId",
      "cycleId",
      "labelIds",
    ],
    ...["sessionId", "failureGroupId", "eventId", "addedLabelIds", "removedLabelIds", "labelId", "issueId", "teamIds"],
    ...["relatedIssueId", "resolvingCommentId", "copySettingsFromTeamId", "defaultIssueStateId", "statusId", "leadId"],
    ...["memberIds", "aiConversationId", "projectDraftId", "issueLabels", "projectLabels", "projectStatuses"],
    ...["workflowStates", "identifier", "previousIdentifiers", "issue", "parent"],
    ...["relatedIssue", "project", "milestone", "templateId"],
  ],
  "words and characters of a checked form": [
    ...["source", "type", "key", "color", "readyStateTypes", "urlKey", "resourceTypes", "stateType", "team", "teams"],
    ...["email", "emails", "sessionStates", "failureKinds", "issueStateTypes", "quietFrom", "quietTo", "timeZone"],
  ],
  "an owner's pattern may spell the beginning of a secret": ["pattern"],
  "the server has to call it, and to sign with it": ["url", "secret"],
  "nothing is stored of it": ["slackChannelName"],
  "each row has its own members, and so have the values of a template": ["rows", "templateData"],
  "conditions, which look for texts": ["filterData"],
  "moments and days": [
    ...["createdAt", "updatedAt", "startedAt", "completedAt", "canceledAt", "archivedAt", "editedAt", "resolvedAt"],
    ...["startsAt", "endsAt", "dueDate", "startDate", "targetDate"],
  ],
};

const NO_TEXTS = ["Int", "Float", "Boolean", "DateTime", "TimelessDate"];

/** Returns the member names under which mutations accept text. Filters are skipped, because a filter writes nothing. */
function namesIn(type: GraphQLInputType, name: string, seen: Set<string>): string[] {
  const named = getNamedType(type);
  if (isScalarType(named)) return NO_TEXTS.includes(named.name) ? [] : [name];
  if (!isInputObjectType(named) || seen.has(named.name) || /(Filter|Comparator)$/.test(named.name)) return [];
  seen.add(named.name);
  return Object.values(named.getFields()).flatMap((field) => namesIn(field.type, field.name, seen));
}

/** Returns the names of JSON members that may be text. */
function textsOf(json: unknown, name = ""): string[] {
  if (typeof json !== "object" || json === null) return [];
  const { type, properties = {}, items, anyOf = [] } = json as Record<string, any>;
  return [
    ...(type === "string" ? [name] : []),
    ...textsOf(items, name),
    ...anyOf.flatMap((each: unknown) => textsOf(each, name)),
    ...Object.entries(properties).flatMap(([member, each]) => textsOf(each, member)),
  ];
}

describe("redaction of text that agents write", () => {
  it("is declared for every text of a mutation and of an imported row", () => {
    const seen = new Set<string>();
    const fields = Object.values(combinedSchema.getMutationType()?.getFields() ?? {});
    const inputs = fields.flatMap(({ args }) => args.flatMap(({ type, name }) => namesIn(type, name, seen)));
    const rows = Object.values(IMPORT_ROW_SCHEMAS).flatMap((kind) =>
      textsOf(z.toJSONSchema(kind, { io: "input", unrepresentable: "any" })),
    );
    expect(inputs.length, "inputs").to.be.above(100);
    expect(rows.length, "members of rows").to.be.above(50);
    const declared = [...USER_TEXT_FIELDS, ...Object.values(NOT_WRITTEN).flat()];
    expect([...new Set(declared)], "declared once").to.have.length(declared.length);
    expect([...new Set([...inputs, ...rows])].sort()).to.deep.equal(declared.sort());
  });

  it("leaves no secret in names of labels and states that an import refers to", async () => {
    const space = await createWorkspaceIn(await createOrganization());
    const secret = `ghp_${random(31).chars(ALNUM, 36)}`;
    const row = {
      team: "ENG",
      externalId: "1",
      title: "One",
      labels: [`for ${secret}`],
      createdAt: "2026-01-01T00:00:00Z",
    };
    const input = { source: "jira", rows: [{ issue: row }] };
    const { results } = await space.does("issueBatchImport", { input }, "results { status message }");
    expect(JSON.stringify(results)).not.to.contain(secret);
    const { issueLabels } = await space.gql("{ issueLabels { nodes { name } } }");
    expect(JSON.stringify(issueLabels))
      .to.match(/for \[redacted:github-token:/)
      .and.not.to.contain(secret);
  });

  it("leaves no secret in commands of proof demands", async () => {
    const space = await createWorkspaceIn(await createOrganization());
    const command = `deploy --token ghp_${random(32).chars(ALNUM, 36)}`;
    const { team } = await space.does(
      "teamUpdate",
      { id: "ENG", input: { proof: { commands: [command] } } },
      "team { proof }",
    );
    expect(team.proof.commands[0]).to.match(/^deploy --token \[redacted:github-token:\w+\]$/);
    const { id } = await space.issue();
    const completion =
      "mutation ($id: String!, $of: [String!]) { issueComplete(id: $id, proofCommands: $of) { proof { verdict } } }";
    const { errors } = await space.graphql(completion, { id, of: [command] });
    expect(errors?.[0]?.message).to.match(/^proofCommands\.0: .*no secret$/);
    const { issueComplete } = await space.gql(completion, { id });
    expect(issueComplete.proof.verdict).to.equal("unproven");
  });

  it("is not needed on the control plane, which accepts neither keys nor tokens of agents", async () => {
    const { url, apiKey } = await createOrganization();
    const closed = routes.filter(({ access }) => access !== "public" && access !== "optional");
    expect(closed.length).to.be.above(20);
    for (const { method, path } of closed) {
      const address = path.replaceAll(/:\w+/g, "00000000-0000-4000-8000-000000000000");
      const headers = { Authorization: `Bearer ${apiKey}` };
      const { status } = await callRestApi(url, method.toUpperCase(), address, {
        headers,
        ...(method !== "get" && { body: {} }),
      });
      expect(status, `${method} ${path}`).to.equal(401);
    }
  });
});
