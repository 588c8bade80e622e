import { randomUUID } from "node:crypto";
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import { isUnsupportedArgument } from "../../../server/graphql/document/field-arguments.ts";
import { entityModel } from "../../../server/resources/index.ts";

type Args = Record<string, unknown>;
type Operation = GraphQLField<unknown, unknown>;

/** Position in the arguments of an operation that takes an id. */
export interface IdPosition {
  path: string[];
  /** Type of the entity that the id refers to. */
  entity: string;
}

/** Names of arguments that belong to no link. */
const OTHERS: Record<string, string> = {
  defaultIssueStateId: "WorkflowState",
  labelId: "IssueLabel",
  failureGroupId: "RecordedFailureGroup",
  eventId: "RecordedEvent",
  templateId: "Template",
  addedLabelIds: "IssueLabel",
  removedLabelIds: "IssueLabel",
};

/** Entity by the name of the argument that takes the id, according to the declared links. */
const BY_NAME: Record<string, string> = { ...OTHERS };
for (const { one = {}, many = {} } of entityModel.values()) {
  for (const { by, entity } of Object.values(one)) if (by) BY_NAME[by] = entity;
  for (const { through, entity } of Object.values(many))
    if (through?.publishedAs) BY_NAME[through.publishedAs] = entity;
}

/** Values for required fields that are no ids. */
const SAMPLES: Record<string, unknown> = {
  title: "A title",
  body: "A body",
  term: "term",
  color: "#000000",
  type: "started",
  "Template.type": "issue",
  templateData: {},
  position: 1,
  url: "https://example.com/",
  resourceTypes: [],
  condition: "leaseExpired",
  channel: "email",
  startsAt: "2026-01-01T00:00:00.000Z",
  endsAt: "2026-01-02T00:00:00.000Z",
};

/**
 * Lists every position in an operation's arguments that takes an id. The positions of one issue stand for all issues
 * of a batch.
 */
export const listIdPositions = (operation: Operation, entity: string): IdPosition[] =>
  operation.args.flatMap((arg) => within(arg, [], entity));

function within(field: GraphQLArgument | GraphQLInputField, above: string[], entity: string): IdPosition[] {
  const path = [...above, field.name];
  const type = getNamedType(field.type);
  if (field.name === "filter" || ("astNode" in field && isUnsupportedArgument(field as GraphQLArgument))) return [];
  if (isInputObjectType(type)) {
    const [, made = ""] = /^(\w+)CreateInput$/.exec(type.name) ?? [];
    return Object.values(type.getFields()).flatMap((each) => within(each, path, entityModel.has(made) ? made : entity));
  }
  if (!/(^id|Id)s?$/.test(field.name)) return [];
  const own = ["id", "ids", "parentId"].includes(field.name) ? entity : BY_NAME[field.name];
  if (!own) throw new Error(`${path.join(".")} takes an id, but of what? Name it in test/support/graphql/positions.ts`);
  return [{ path, entity: own }];
}

/** Builds the required arguments of an operation with ids from `ids`, and with `id` at a position. */
export function buildArgumentsWith(operation: Operation, entity: string, at: IdPosition, id: string, ids: Args): Args {
  const value = (field: GraphQLArgument | GraphQLInputField, above: string[]): unknown => {
    const path = [...above, field.name];
    const wanted = at.path.slice(0, path.length).join(".") === path.join(".");
    if (!isNonNullType(field.type) && !wanted) return undefined;
    const type = getNamedType(field.type);
    if (isInputObjectType(type)) return listed(field.type, fields(Object.values(type.getFields()), path));
    if (wanted) return listed(field.type, id);
    if (isEnumType(type)) return type.getValues()[0]?.name;
    if (!/(^id|Id)s?$/.test(field.name)) return field.name === "name" ? `A name ${randomUUID()}` : sample(field.name);
    return listed(field.type, ids[["id", "ids"].includes(field.name) ? entity : (BY_NAME[field.name] ?? "")]);
  };
  const sample = (name: string) => SAMPLES[`${entity}.${name}`] ?? SAMPLES[name];
  const fields = (all: readonly (GraphQLArgument | GraphQLInputField)[], path: string[]): Args =>
    Object.fromEntries(all.map((each) => [each.name, value(each, path)]).filter(([, each]) => each !== undefined));
  return fields(operation.args, []);
}

const listed = (type: GraphQLInputType, value: unknown): unknown =>
  isListType(getNullableType(type)) ? [value] : value;
