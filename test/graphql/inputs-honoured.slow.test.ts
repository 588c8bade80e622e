import { expect } from "chai";
import {
  type GraphQLArgument,
  type GraphQLField,
  getNamedType,
  isInputObjectType,
  isObjectType,
  isRequiredArgument,
} from "graphql";
import { isUnsupportedArgument } from "../../server/graphql/document/field-arguments.ts";
import { combinedSchema } from "../../server/graphql/schema.ts";
import { entityModel } from "../../server/resources/index.ts";
import { findInputMember } from "../support/graphql/from-schema.ts";
import { MUTATION_SAMPLES } from "../support/graphql/mutations.ts";
import { deriveEffectCheck, EFFECT_CHECKS, type EffectCheck } from "../support/graphql/observed.ts";
import { createWorkspace, performMutation, performSignedIn, toRefusal, type Workspace } from "../support/workspace.ts";

type Args = Record<string, unknown>;
type Field = GraphQLField<unknown, unknown>;

const mutations = Object.values(combinedSchema.getMutationType()?.getFields() ?? {});

/** Returns the field of a payload that contains the entity, and the entity's name. */
function entityOf(mutation: Field): { field: string; entity: string; list: boolean } | undefined {
  const payload = getNamedType(mutation.type);
  const fields = isObjectType(payload) ? Object.values(payload.getFields()) : [];
  const found = fields.find(({ type }) => entityModel.has(getNamedType(type).name));
  return (
    found && { field: found.name, entity: getNamedType(found.type).name, list: String(found.type).startsWith("[") }
  );
}

interface Taken {
  mutation: Field;
  /** Path of names below the arguments. */
  path: string[];
  key: string;
}

/** Every argument and input field of a mutation, except the id of the row. */
const TAKEN: Taken[] = mutations.flatMap((mutation) =>
  mutation.args.flatMap((arg) => {
    const type = getNamedType(arg.type);
    if (isUnsupportedArgument(arg) || /^ids?$/.test(arg.name)) return [];
    if (!isInputObjectType(type)) return [{ mutation, path: [arg.name], key: `${mutation.name}.${arg.name}` }];
    const entity = entityOf(mutation)?.entity;
    return Object.keys(type.getFields()).map((name) => ({
      mutation,
      path: [arg.name, name],
      key: `${entity}.${name}`,
    }));
  }),
);

/** Returns a key for a field that has a different meaning, or none, in other mutations of the same entity. */
const ownKey = ({ mutation, path }: Taken): string => `${mutation.name}.${path.at(-1)}`;

const placed = (args: Args, path: string[], value: unknown): Args => {
  const [first = "", ...rest] = path;
  return { ...args, [first]: rest.length > 0 ? placed((args[first] ?? {}) as Args, rest, value) : value };
};

/** Returns the only value in `{ state: { id: 1 } }` or `{ nodes: [{ id: 1 }] }`. */
function within(value: any): unknown {
  if (Array.isArray(value)) return value.map(within);
  if (typeof value !== "object" || value === null) return value;
  return within(Object.values(value)[0]);
}

async function seen(space: Workspace, { mutation, path }: Taken, observed: EffectCheck, args: Args): Promise<unknown> {
  const { field, list } = entityOf(mutation) ?? { field: "", list: false };
  const selection = field ? `${field} { id ${observed.read ?? (observed.look ? "" : path.at(-1))} }` : "success";
  const payload = observed.signedIn
    ? await performSignedIn(space, mutation.name, args, selection)
    : await space.does(mutation.name, args, selection);
  const entity = list ? payload[field][0] : payload[field];
  if (observed.look) return observed.look(space, String(entity?.id ?? args["id"]));
  if (observed.read === undefined && path.at(-1) === "id") return entity.id;
  const { id: _, ...rest } = entity;
  return within(Object.values(rest)[0]);
}

describe("an argument of a mutation", () => {
  let space: Workspace;
  before(async () => {
    space = await createWorkspace();
  });

  for (const taken of TAKEN) {
    const { mutation, path, key } = taken;
    it(`has an effect or is refused: ${mutation.name} ${path.join(".")}`, async () => {
      const member = findInputMember(mutation.name, String(path.at(-1)));
      const observed = EFFECT_CHECKS[ownKey(taken)] ?? EFFECT_CHECKS[key] ?? (member && deriveEffectCheck(member));
      if (!observed)
        throw new Error(
          `${key} is taken, but does anything come of it? Say how it shows in test/support/graphql/observed.ts`,
        );
      const base = async (excluded: boolean) => {
        const args = (await MUTATION_SAMPLES[mutation.name]?.(space)) ?? {};
        const more = Object.entries((await observed.with?.(space, args)) ?? {});
        const wanted = more.filter(([, value]) => excluded || value !== undefined);
        const all = wanted.reduce((sum, [name, value]) => placed(sum, [...path.slice(0, -1), name], value), args);
        return prepared(taken, all);
      };
      const without =
        isRequired(taken) || observed.refused || observed.stale || observed.needed
          ? undefined
          : await seen(space, taken, observed, await base(false));
      const args = await base(true);
      const give: unknown = typeof observed.give === "function" ? await observed.give(space, args) : observed.give;
      const given = placed(args, path, give);
      if (observed.stale)
        return expect(toRefusal(await performMutation(space, mutation.name, given)).code).to.equal("CONFLICT");
      if (observed.refused) {
        const refusal = toRefusal(await performMutation(space, mutation.name, given));
        return expect(refusal).to.include({ code: "INVALID_INPUT", field: path.join(".") });
      }
      const { shows = give } = observed;
      const wanted = typeof shows === "function" ? shows(give) : shows;
      expect(await seen(space, taken, observed, given)).to.deep.equal(wanted);
      expect(without, "without it").to.not.deep.equal(wanted);
    });
  }

  it("is in the schema if this test lists it", () => {
    const known = new Set(TAKEN.flatMap((taken) => [taken.key, ownKey(taken)]));
    expect(Object.keys(EFFECT_CHECKS).filter((key) => !known.has(key))).to.deep.equal([]);
  });

  /** Prepares the row of an update with the values that `with` requires. */
  async function prepared({ mutation }: Taken, args: Args): Promise<Args> {
    const { input } = args as { input?: Args };
    if (mutation.name === "issueUpdate" || mutation.name === "issueBatchUpdate") {
      const ids = (args["ids"] ?? [args["id"]]) as string[];
      if (input?.["labelIds"])
        for (const id of ids) await space.does("issueUpdate", { id, input: { labelIds: input["labelIds"] } });
    }
    return args;
  }

  const isRequired = ({ mutation, path: [arg = "", name] }: Taken): boolean => {
    const type = mutation.args.find((each) => each.name === arg);
    const input = type && getNamedType(type.type);
    const field = name === undefined ? undefined : isInputObjectType(input) ? input.getFields()[name] : undefined;
    return field
      ? String(field.type).endsWith("!") && !mutation.name.includes("Update")
      : type !== undefined && isRequiredArgument(type);
  };
});

describe("arguments that this server does not support", () => {
  let space: Workspace;
  before(async () => {
    space = await createWorkspace();
  });
  const GIVEN: Record<string, string> = {
    Boolean: "true",
    Float: "1",
    String: '"x"',
    InheritanceEntityMapping: "{ workflowStates: {} }",
  };
  const places = Object.values(combinedSchema.getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields()).flatMap((field) =>
          field.args.filter(isUnsupportedArgument).map((arg) => ({ type: type.name, field, arg })),
        )
      : [],
  );

  it("are 13 in the whole schema", () => {
    expect(places.map(({ type, field, arg }) => `${type}.${field.name}.${arg.name}`)).to.have.length(13);
  });

  for (const { type, field, arg } of places) {
    it(`are refused by name, except for null or false: ${type}.${field.name} ${arg.name}`, async () => {
      const ask = async (value: string) => {
        const args = { ...(await MUTATION_SAMPLES[field.name]?.(space)), ...QUERIES[field.name] };
        const literal = Object.entries(args).map(([name, each]) => `${name}: ${inline(each)}`);
        const leaf = isObjectType(getNamedType(field.type)) ? "{ __typename }" : "";
        const call = `${field.name}(${[...literal, `${arg.name}: ${value}`].join(", ")}) ${leaf}`;
        const document =
          { Mutation: `mutation { ${call} }`, Query: `{ ${call} }` }[type] ?? `{ teams { nodes { ${call} } } }`;
        return space.graphql(document);
      };
      const refusal = toRefusal(await ask(GIVEN[getNamedType(arg.type).name] ?? "1"));
      expect(refusal).to.include({ code: "INVALID_INPUT", field: arg.name });
      for (const nothing of getNamedType(arg.type).name === "Boolean" ? ["null", "false"] : ["null"]) {
        const { errors } = await ask(nothing);
        expect(errors?.[0]?.extensions.code ?? "fine").to.be.oneOf(["fine", "NOT_FOUND"]);
      }
    });
  }

  const QUERIES: Record<string, Args> = {
    comment: { id: "01980000-0000-7000-8000-000000000000" },
    searchIssues: { term: "x" },
  };

  function inline(value: unknown): string {
    if (Array.isArray(value)) return `[${value.map(inline).join()}]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    return `{ ${Object.entries(value)
      .map(([name, each]) => `${name}: ${inline(each)}`)
      .join(" ")} }`;
  }
});

/** Tests that show the effect of each argument of a query. A new argument needs a test and an entry here. */
const SEEN_IN: Record<string, string> = {
  id: "graphql/isolation.test.ts",
  ids: "observe/relay.slow.test.ts",
  filter: "graphql/filter.test.ts",
  first: "graphql/documents/paging.test.ts",
  after: "graphql/documents/paging.test.ts",
  last: "graphql/documents/paging.test.ts",
  before: "graphql/documents/paging.test.ts",
  orderBy: "graphql/documents/plan.slow.test.ts",
  sort: "tracker/issues/issues.test.ts",
  includeArchived: "tracker/issues/issues-archive.test.ts",
  includeDisabled: "control/control-members.test.ts",
  term: "tracker/search/issues-search.test.ts",
  title: "tracker/search/search-words.test.ts",
  most: "recorded/recorded-search.slow.test.ts",
  includeComments: "tracker/search/issues-search.test.ts",
  teamId: "tracker/search/issues-search.test.ts",
  maxLength: "ingest/ingest-reads.test.ts",
  sessionId: "recorded/sessions/recorded-outline.test.ts",
  receivedAfter: "recorded/sessions/recorded-outline.test.ts",
  text: "recorded/sessions/recorded-outline.test.ts",
  name: "web/recording/web-tools.slow.test.ts",
  buckets: "web/recording/web-tools.slow.test.ts",
  groupBy: "recorded/analytics/usage.test.ts",
  from: "ingest/ingest-reads.test.ts",
  to: "ingest/ingest-reads.test.ts",
  path: "recorded/files.test.ts",
  lines: "recorded/files.test.ts",
  shas: "recorded/files.test.ts",
  failureGroupId: "recorded/analytics/failure-comparison.slow.test.ts",
  stopAt: "tracker/issues/issue-groups.test.ts",
};

describe("an argument of a query", () => {
  it("is covered by a test named in SEEN_IN", async () => {
    const { readFileSync } = await import("node:fs");
    const names = new Set(
      Object.values(combinedSchema.getTypeMap())
        .flatMap((type) =>
          isObjectType(type) && !type.name.startsWith("__") && type.name !== "Mutation"
            ? Object.values(type.getFields())
            : [],
        )
        .flatMap((field): readonly GraphQLArgument[] => field.args)
        .filter((arg) => !isUnsupportedArgument(arg))
        .map(({ name }) => name),
    );
    for (const name of names) {
      const file = SEEN_IN[name];
      expect(file, `who sees that the argument ${name} is honoured? Say so in SEEN_IN`).to.be.a("string");
      expect(readFileSync(`test/${file}`, "utf8"), `${file} of ${name}`).to.include(name);
    }
  });
});
