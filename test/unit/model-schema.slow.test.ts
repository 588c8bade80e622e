import { expect } from "chai";
import { getNamedType, isAbstractType, isInputObjectType, isObjectType } from "graphql";
import { z } from "zod";
import { isConstant } from "../../server/graphql/document/constant.ts";
import { combinedSchema } from "../../server/graphql/schema.ts";
import { entityModel, mutations, rootToManyLinks, rootToOneLinks, rootValues } from "../../server/resources/index.ts";

const operations = combinedSchema.getMutationType()?.getFields() ?? {};
const queries = combinedSchema.getQueryType()?.getFields() ?? {};

/** Root fields that the server answers from the budget of the request, without the database. */
const LOCAL = ["rateLimitStatus"];
/** Returns the field names of an input type. */
const inputFields = (name: string): string[] => {
  const type = combinedSchema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`${name} is no input`);
  return Object.keys(type.getFields());
};

describe("the schema and the resources", () => {
  it("declare the same mutations", () => {
    expect(Object.keys(mutations).sort()).to.deep.equal(Object.keys(operations).sort());
  });

  it("declare the same root query fields", () => {
    const declared = [rootToOneLinks, rootToManyLinks, rootValues].flatMap((roots) => Object.keys(roots));
    expect([...declared, ...LOCAL].sort()).to.deep.equal(
      Object.values(queries)
        .filter((field) => !isConstant(field))
        .map(({ name }) => name)
        .sort(),
    );
  });

  for (const [name, { input }] of Object.entries(mutations)) {
    const type = operations[name]?.args.find((arg) => arg.name === "input")?.type;
    it(`check exactly the fields of the input ${name}`, () => {
      if (!type || !input) return expect([type, input]).to.deep.equal([undefined, undefined]);
      const shape = input instanceof z.ZodObject ? Object.keys(input.shape) : [];
      expect(shape.sort()).to.deep.equal(inputFields(getNamedType(type).name).sort());
    });
  }

  for (const [name, entity] of entityModel) {
    it(`declare the same fields of ${name}`, () => {
      const type = combinedSchema.getType(name);
      if (!isObjectType(type)) throw new Error(`${name} is no type`);
      const shown = Object.values(type.getFields()).filter((field) => !isConstant(field));
      const { columns, computed = {}, one = {}, many = {} } = entity;
      const declared = new Set([columns, computed, one, many].flatMap((part) => Object.keys(part)));
      const missing = shown.filter((field) => !declared.has(field.name)).map((field) => `${name}.${field.name}`);
      expect(missing).to.deep.equal([]);
    });
  }

  for (const [name, { columns, computed = {}, one = {}, many = {} }] of entityModel) {
    it(`use every declared member of ${name}`, () => {
      // A search returns issues, and the filter of issues applies.
      const types = name === "IssueSearchResult" ? ["Issue", "IssueFilter"] : [name, `${name}Filter`];
      const shown = types.flatMap((type) => fieldsOf(type));
      // The change log reads the team of each row.
      const used = new Set([...shown, ...Object.keys(columns), "organization", "teamId"]);
      const declared = [computed, one, many].flatMap((part) => Object.entries(part));
      const unused = declared.filter(([field, { published, loaded }]) => !(published || loaded || used.has(field)));
      expect(unused.map(([field]) => field)).to.deep.equal([]);
    });
  }

  it("need no unions or resolvers: every field is a column, a computed value, a link, a constant or a node", () => {
    const fields = Object.values(combinedSchema.getTypeMap())
      .filter((type) => isObjectType(type) && !type.name.startsWith("__"))
      .flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()) : []))
      .filter((field) => !isConstant(field));
    const free = fields.filter(({ type, resolve }) => resolve || isAbstractType(getNamedType(type)));
    expect(free.map(({ name }) => name)).to.deep.equal(["node", "nodes"]);
  });
});

function fieldsOf(name: string): string[] {
  const type = combinedSchema.getType(name);
  return isObjectType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
}
