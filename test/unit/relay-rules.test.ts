import { expect } from "chai";
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
} from "graphql";
import { getIntrospectionSchema } from "../../server/graphql/schema.ts";
import { listFields } from "../support/graphql/documents.ts";

const schema = getIntrospectionSchema("native");
const NODE = schema.getType("Node");
const TYPES = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith("__"),
);

const fieldIn = (type: GraphQLObjectType, name: string) => type.getFields()[name];
const isList = (type: GraphQLOutputType | undefined): boolean => isListType(getNullableType(type));
const implementsNode = (type: unknown): boolean =>
  isObjectType(type) && isInterfaceType(NODE) && type.getInterfaces().includes(NODE);
const isPage = (type: GraphQLObjectType): boolean => "edges" in type.getFields() && "pageInfo" in type.getFields();
const edges = new Set(
  TYPES.filter(({ name }) => name.endsWith("Connection")).map((type) => getNamedType(fieldIn(type, "edges")?.type)),
);

/**
 * The rules of Relay's specification as `schema-relay` of @graphql-eslint 4.4.1 checks the rules. Written out here,
 * because that package and ESLint need about 90 MB. On the native schema, that package reports the same places.
 */
const RULES: Readonly<Record<string, () => string[]>> = {
  "relay-connection-types": () =>
    TYPES.flatMap((type) => {
      const wrong: string[] = [];
      if (isPage(type) && !type.name.endsWith("Connection")) wrong.push(`${type.name} is not called Connection`);
      if (!type.name.endsWith("Connection")) return wrong;
      if (!isList(fieldIn(type, "edges")?.type)) wrong.push(`${type.name}.edges is no list`);
      if (String(fieldIn(type, "pageInfo")?.type) !== "PageInfo!") wrong.push(`${type.name}.pageInfo`);
      return wrong;
    }),
  "relay-edge-types": () => [
    ...[...edges].flatMap((type) => {
      if (!isObjectType(type)) return [`${type} is no object`];
      const node = fieldIn(type, "node");
      const wrong = type.name.endsWith("Edge") ? [] : [`${type.name} is not called Edge`];
      if (!node || isList(node.type)) wrong.push(`${type.name}.node`);
      if (getNamedType(fieldIn(type, "cursor")?.type)?.name !== "String") wrong.push(`${type.name}.cursor`);
      if (!implementsNode(getNamedType(node?.type))) wrong.push(`${type.name}.node is no Node`);
      return wrong;
    }),
    ...TYPES.flatMap((type) =>
      listFields(type).flatMap((field) =>
        isList(field.type) && !edges.has(getNamedType(field.type))
          ? [`${type.name}.${field.name} is a list${isLeafType(getNamedType(field.type)) ? " of values" : ""}`]
          : [],
      ),
    ),
  ],
  "relay-arguments": () =>
    TYPES.flatMap((type) =>
      listFields(type).flatMap((field) => {
        if (!getNamedType(field.type).name.endsWith("Connection")) return [];
        const wanted = { first: "Int", after: "String", last: "Int", before: "String" };
        return Object.entries(wanted).flatMap(([name, of]) =>
          takes(field, name, of) ? [] : [nameOf(type, field, name)],
        );
      }),
    ),
  "relay-page-info": () => {
    const type = schema.getType("PageInfo") as GraphQLObjectType;
    const has = listFields(type).map((field) => `${field.name}: ${field.type}`);
    const wanted = ["hasPreviousPage: Boolean!", "hasNextPage: Boolean!", "startCursor: String", "endCursor: String"];
    return wanted.filter((each) => !has.includes(each));
  },
};

const nameOf = (type: GraphQLObjectType, field: GraphQLField<unknown, unknown>, name: string): string =>
  `${type.name}.${field.name} takes no ${name}`;

/** A cursor argument may be a custom scalar. */
const takes = ({ args }: GraphQLField<unknown, unknown>, name: string, of: string): boolean =>
  args.some((each) => each.name === name && (of === "String" || getNamedType(each.type).name === of));

/**
 * Exceptions from the rules, because Linear's API (whose clients this schema serves) or the content determines the
 * name or shape.
 */
const GIVEN: Readonly<Record<string, { why: string; places: RegExp; count?: number }[]>> = {
  "relay-connection-types": [
    { why: "Linear's name for what searchIssues answers", places: /^IssueSearchPayload /, count: 1 },
  ],
  "relay-edge-types": [
    {
      why: "Linear's connections have the entries themselves beside the edges",
      places: /(Connection|Payload)\.nodes is a list$/,
      count: 30,
    },
    { why: "a list of plain values is one value", places: / is a list of values$/ },
    {
      why: "Linear's lists without pages",
      places: /^(Organization|IssueBatchPayload|RateLimitPayload|Query)\.\w+ is a list$/,
      count: 6,
    },
    {
      why: "Linear's names for what a change of labels and relations was",
      places: /^IssueHistory\.(addedLabels|removedLabels|relationChanges) is a list$/,
      count: 3,
    },
    { why: "a result for each row of an import", places: /^IssueBatchImportPayload.results is a list$/, count: 1 },
    { why: "Linear's name for what searchIssues answers", places: /^IssueSearchPayload.edges is a list$/, count: 1 },
    {
      why: "the buckets of a histogram are one value",
      places: /^RecordedSessionHistogram\.\w+ is a list$/,
      count: 1,
    },
    { why: "groups of a count: all that there are, at most 100", places: /^IssueGroups\.groups is a list$/, count: 1 },
    {
      why: "hits go on from where the search stopped, which may be behind the last of them",
      places: /^RecordedSearch\.nodes is a list$/,
      count: 1,
    },
    {
      why: "parts of one value, which have no page",
      places: /^Recorded(Event|FailureComparison|FailureGroup|Tool|ToolStats|Totals|Usage|UsageGroup)\.\w+ is a list$/,
      count: 11,
    },
    {
      why: "the latest of what somebody does now, the events that a verdict names, and those before an example: at most 20",
      places: /^(Issue\.concurrentChanges|IssueProof\.events|RecordedFailureExample\.before) is a list$/,
      count: 3,
    },
    {
      why: "an entry is one of a user's own view of other things: it has no query of its own",
      places: /^InboxEntryEdge\.node is no Node$/,
      count: 1,
    },
    {
      why: "a file or a commit is made of what sessions did: it has no query of its own",
      places: /^Recorded(File|FileChange|Commit)Edge\.node is no Node$/,
      count: 3,
    },
    {
      why: "what was done to an issue, and its link with a session, are read in their connection alone: Linear has no query for an entry either",
      places: /^Issue(History|Session)Edge\.node is no Node$/,
      count: 2,
    },
    {
      why: "a change has a number, and a recorded user or service the id that the sender chose",
      places: /^(Change|RecordedUser|RecordedService)Edge\.node is no Node$/,
      count: 3,
    },
  ],
  "relay-arguments": [
    { why: "the log is read forward only", places: /^Query\.changes takes no (last|before)$/, count: 2 },
  ],
  "relay-page-info": [],
};

describe("Relay's schema rule", () => {
  for (const [name, rule] of Object.entries(RULES)) {
    it(`${name} holds except where Linear's API or the content determines the name`, () => {
      const found = rule();
      const given = GIVEN[name] ?? [];
      expect(found.filter((place) => !given.some(({ places }) => places.test(place)))).to.deep.equal([]);
      for (const { why, places, count } of given) {
        const there = found.filter((place) => places.test(place)).length;
        expect(count === undefined ? there > 0 : there === count, `${why}: ${there}`).to.equal(true);
      }
    });
  }
});
