import { randomUUID } from "node:crypto";
import { LinearClient } from "@linear/sdk";
import { expect } from "chai";
import { type GraphQLField, type GraphQLObjectType, getNamedType, isObjectType } from "graphql";
import { combinedSchema } from "../../server/graphql/schema.ts";
import { entityModel } from "../../server/resources/index.ts";
import { MUTATION_SAMPLES } from "../support/graphql/mutations.ts";
import { createWorkspace, performMutation, type Workspace } from "../support/workspace.ts";

type Field = GraphQLField<unknown, unknown>;

const fieldsOf = (type: GraphQLObjectType | null | undefined): Field[] => Object.values(type?.getFields() ?? {});
const takesId = ({ args }: Field): boolean => args.some(({ name }) => name === "id");

/** Root fields of Query that return one row by id. */
const QUERIES = fieldsOf(combinedSchema.getQueryType()).filter(
  (field) => takesId(field) && isObjectType(getNamedType(field.type)) && entityModel.has(getNamedType(field.type).name),
);
const MUTATIONS = fieldsOf(combinedSchema.getMutationType()).filter(takesId);

/** Finds the entity of a mutation: the longest entity name at the start of the mutation's name. */
const entityOf = (mutation: string): string =>
  [...entityModel.keys()]
    .filter((name) => mutation.toLowerCase().startsWith(name.toLowerCase()))
    .sort((one, other) => other.length - one.length)[0] ?? "";

const phrase = (entity: string) => `Entity not found: ${entity} - Could not find referenced ${entity}.`;

describe("a NOT_FOUND error", () => {
  let space: Workspace;
  const absent = randomUUID();
  before(async () => {
    space = await createWorkspace();
  });

  const check = (errors: readonly { message: string; extensions: any }[] | undefined, entity: string) => {
    const [error] = errors ?? [];
    expect(error?.message).to.equal(phrase(entity));
    expect(error?.extensions).to.include({
      code: "NOT_FOUND",
      type: "invalid input",
      statusCode: 404,
      userError: true,
    });
    const said = String(error?.extensions.userPresentableMessage);
    expect(said)
      .to.match(/ not found: .*\. Check the id: this organization has no such /)
      .and.contain(absent);
    expect(said.toLowerCase().replaceAll(" ", "")).to.match(new RegExp(`^${entity.toLowerCase()}notfound`));
  };

  for (const { name, type } of QUERIES) {
    it(`of ${name} has Linear's message, with the id and a hint for users`, async () => {
      const { errors } = await space.graphql(`{ ${name}(id: "${absent}") { __typename } }`);
      check(errors, getNamedType(type).name);
    });
  }

  for (const { name } of MUTATIONS) {
    it(`of ${name} has the same message`, async () => {
      const sample = (await MUTATION_SAMPLES[name]?.(space)) ?? {};
      const { errors } = await performMutation(space, name, { ...sample, id: absent }, "__typename");
      check(errors, entityOf(name));
    });
  }

  it("is tested for every entity that can be read by id", () => {
    expect(QUERIES.length).to.be.greaterThan(10);
    expect(MUTATIONS.length).to.be.greaterThan(20);
  });

  it("reaches the stock SDK with message and user hint", async () => {
    const client = new LinearClient({ apiKey: space.apiKey, apiUrl: `${space.url}/graphql` });
    const error = await client.issue("ENG-999").catch((thrown) => thrown);
    expect(error.message).to.contain(phrase("Issue")).and.contain("Issue not found: ENG-999");
    expect(error.type).to.equal("InvalidInput");
  });
});
