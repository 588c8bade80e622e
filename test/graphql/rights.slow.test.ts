import { readFileSync } from "node:fs";
import { expect } from "chai";
import { type GraphQLField, getNamedType, isInputObjectType } from "graphql";
import { routes } from "../../server/control/routes.ts";
import { combinedSchema } from "../../server/graphql/schema.ts";
import { mutations } from "../../server/resources/index.ts";
import { connectOauthApp } from "../support/accounts/oauth.ts";
import { MUTATION_SAMPLES } from "../support/graphql/mutations.ts";
import { inviteGuest } from "../support/members.ts";
import { sendGraphQL } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

type Args = Record<string, any>;
type Field = GraphQLField<unknown, unknown>;
const fields = Object.values(combinedSchema.getMutationType()?.getFields() ?? {}).sort((a, b) =>
  a.name.localeCompare(b.name),
);

/** Returns each argument alone, and each member of an input alone. */
const alone = ({ args }: Field): [string, Args][] =>
  args.flatMap((arg): [string, Args][] => {
    const type = getNamedType(arg.type);
    if (!isInputObjectType(type)) return [[arg.name, { [arg.name]: true }]];
    return Object.keys(type.getFields()).map((member) => [`input.${member}`, { input: { [member]: null } }]);
  });

/** Returns the declared permission: only owners, any member, or the arguments that only owners may use. */
function rightOf(field: Field): string {
  const { needs } = mutations[field.name] ?? {};
  if (typeof needs !== "function") return String(needs);
  const owners = alone(field).filter(([, args]) => needs(args) === "owner");
  return `member; owner with ${owners.map(([name]) => name).join(", ")}`;
}

/** Mutations whose permission depends on the row: only the author may use them. */
const AUTHORS = ["commentUpdate", "commentDelete"];

/** Sends a mutation. Returns the error if the caller lacks permission; any other response counts as permitted. */
async function refusalOf(
  { url }: Workspace,
  credential: string,
  field: Field,
  args: Args,
): Promise<string | undefined> {
  const given = field.args.filter(({ name }) => name in args);
  const listed = (sign: string, value: (arg: Field["args"][number]) => unknown) =>
    given.length > 0 ? `(${given.map((arg) => `${sign}${arg.name}: ${value(arg)}`).join(", ")})` : "";
  const query = `mutation ${listed("$", ({ type }) => type)} { ${field.name}${listed("", ({ name }) => `$${name}`)} { __typename } }`;
  const { errors } = await sendGraphQL(url, credential, { query, variables: args });
  return errors?.[0]?.extensions.code === "FORBIDDEN" ? errors[0].message : undefined;
}

describe("permissions of mutations and routes", () => {
  let space: Workspace;
  /** Credentials of each kind of caller, with the expected permissions of an owner and of a member. */
  let callers: { name: string; credential: string; changes: boolean; owns: boolean }[];
  before(async () => {
    space = await createWorkspace();
    const agent = (await space.rest("POST", "/api/agents", { name: "Robot" })).body as { token: string };
    const token = async (scope: string) => `Bearer ${(await connectOauthApp(space, scope)).access_token}`;
    callers = [
      { name: "OAuth read", credential: await token("read"), changes: false, owns: false },
      { name: "agent's key", credential: agent.token, changes: true, owns: false },
      { name: "member", credential: `Bearer ${(await inviteGuest(space)).accessToken}`, changes: true, owns: false },
      { name: "OAuth write", credential: await token("read write record"), changes: true, owns: false },
      { name: "owner's key", credential: space.apiKey, changes: true, owns: true },
      { name: "owner", credential: `Bearer ${space.accessToken}`, changes: true, owns: true },
    ];
  });

  it("are declared at each mutation as in the schema and in the docs of OAuth", () => {
    const owners = fields.filter((field) => rightOf(field) === "owner").map(({ name }) => name);
    const described = fields.filter(({ description }) => /\bowners only\.?/i.test(description ?? ""));
    expect(described.map(({ name }) => name)).to.deep.equal(owners);
    const [, page = ""] =
      /No scope allows these mutations:([\s\S]*?)\.\n/.exec(readFileSync("docs/oauth.md", "utf8")) ?? [];
    const listed = [...page.matchAll(/`(\w+)`/g)].map(([, name]) => String(name));
    const some = fields.map((field) => [field.name, rightOf(field)]).filter(([, right]) => right?.includes(";"));
    expect(some).to.deep.include(["issueDelete", "member; owner with permanentlyDelete"]);
    expect(some).to.deep.include([
      "teamUpdate",
      "member; owner with input.proof, input.leaseCostLimit, input.leaseTokenLimit, input.leaseMinuteLimit, input.leaseEqualCallLimit",
    ]);
    expect(listed).to.deep.equal(owners);
    expect(fields.filter((field) => !/^(owner|member)\b/.test(rightOf(field))).map(({ name }) => name)).to.deep.equal(
      [],
    );
  });

  it("hold for every mutation and every kind of caller", async () => {
    const [table, expected]: [string[], string[]] = [[], []];
    for (const field of fields) {
      const args = await MUTATION_SAMPLES[field.name]?.(space);
      if (!args) throw new Error(`no sample of ${field.name}`);
      const right = mutations[field.name]?.needs;
      const owners = (typeof right === "function" ? right(args) : right) === "owner";
      const isAuthors = (name: string) => AUTHORS.includes(field.name) && /agent|member/.test(name);
      const rowOf = (all: readonly string[]) => `${field.name}: ${all.join(", ")}`;
      const allowed: string[] = [];
      const before = await space.last();
      for (const { name, credential, changes } of callers) {
        const refusal = await refusalOf(space, credential, field, args);
        if (refusal === undefined) allowed.push(name);
        if (!changes) expect([refusal?.includes("scope write"), await space.last()]).to.deep.equal([true, before]);
      }
      table.push(rowOf(allowed));
      const may = callers.filter(({ name, changes, owns }) => changes && (owns || !(owners || isAuthors(name))));
      expected.push(rowOf(may.map(({ name }) => name)));
    }
    expect(table).to.deep.equal(expected);
  });

  it("hold for each argument that only owners may use", async () => {
    for (const field of fields) {
      const { needs } = mutations[field.name] ?? {};
      if (typeof needs !== "function") continue;
      const sample = (await MUTATION_SAMPLES[field.name]?.(space)) ?? {};
      for (const [title, more] of alone(field).filter(([, args]) => needs(args) === "owner")) {
        const input: Args = { ...Object(sample["input"]), ...Object(more["input"]) };
        const args = { ...sample, ...more, ...("input" in more && { input }) };
        for (const { name, credential, owns } of callers)
          expect([title, name, !(await refusalOf(space, credential, field, args))]).to.deep.equal([title, name, owns]);
      }
    }
  });

  it("hold for every route: keys and OAuth tokens open none, and members open no owner's route", async () => {
    const id = "0198c0de-0000-7000-8000-000000000001";
    for (const { method, path, access } of routes) {
      if (access === "public") continue;
      for (const { name, credential } of callers) {
        const isLogin = name === "member" || name === "owner";
        if (isLogin && (access !== "owner" || name === "owner")) continue;
        const { status } = await fetch(space.url + path.replace(/:\w+/g, id), {
          method: method.toUpperCase(),
          headers: { authorization: credential },
        });
        expect([method, path, name, status]).to.deep.equal([method, path, name, isLogin ? 403 : 401]);
      }
    }
  });
});
