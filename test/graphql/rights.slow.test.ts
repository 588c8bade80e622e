import { readFileSync } from "node:fs";
import { expect } from "chai";
import { type GraphQLField, getNamedType, isInputObjectType } from "graphql";
import { routes } from "../../server/control/routes.ts";
import { schema } from "../../server/graphql/schema.ts";
import { mutations } from "../../server/resources/index.ts";
import { connect } from "../support/accounts/oauth.ts";
import { SAMPLES } from "../support/graphql/mutations.ts";
import { joined } from "../support/members.ts";
import { sendGraphQL } from "../support/server.ts";
import { freshWorkspace, type Workspace } from "../support/workspace.ts";

type Args = Record<string, any>;
type Field = GraphQLField<unknown, unknown>;
const fields = Object.values(schema.getMutationType()?.getFields() ?? {}).sort((a, b) => a.name.localeCompare(b.name));

/** Every argument alone, and every member of an input alone. */
const alone = ({ args }: Field): [string, Args][] =>
  args.flatMap((arg): [string, Args][] => {
    const type = getNamedType(arg.type);
    if (!isInputObjectType(type)) return [[arg.name, { [arg.name]: true }]];
    return Object.keys(type.getFields()).map((member) => [`input.${member}`, { input: { [member]: null } }]);
  });

/** The declared right: that of an owner, of any member, or the arguments that an owner alone may give. */
function rightOf(field: Field): string {
  const { needs } = mutations[field.name] ?? {};
  if (typeof needs !== "function") return String(needs);
  const owners = alone(field).filter(([, args]) => needs(args) === "owner");
  return `member; owner with ${owners.map(([name]) => name).join(", ")}`;
}

/** Those that refuse members who are no owners by the row: its author alone may. */
const AUTHORS = ["commentUpdate", "commentDelete"];

/** The refusal of a caller's right to a mutation; any other reply is a yes. */
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

describe("the rights to mutations and routes", function () {
  this.timeout(120_000);
  let space: Workspace;
  /** Each caller's credential, and whether an owner's rights count for it, and a member's. */
  let callers: { name: string; credential: string; changes: boolean; owns: boolean }[];
  before(async () => {
    space = await freshWorkspace();
    const agent = (await space.rest("POST", "/api/agents", { name: "Robot" })).body as { token: string };
    const token = async (scope: string) => `Bearer ${(await connect(space, scope)).access_token}`;
    callers = [
      { name: "OAuth read", credential: await token("read"), changes: false, owns: false },
      { name: "agent's key", credential: agent.token, changes: true, owns: false },
      { name: "member", credential: `Bearer ${(await joined(space)).accessToken}`, changes: true, owns: false },
      { name: "OAuth write", credential: await token("read write record"), changes: true, owns: false },
      { name: "owner's key", credential: space.apiKey, changes: true, owns: true },
      { name: "owner", credential: `Bearer ${space.accessToken}`, changes: true, owns: true },
    ];
  });

  it("are declared at each mutation, as the schema and the page of OAuth say", () => {
    const owners = fields.filter((field) => rightOf(field) === "owner").map(({ name }) => name);
    const described = fields.filter(({ description }) => /\bowners only\.?/i.test(description ?? ""));
    expect(described.map(({ name }) => name)).to.deep.equal(owners);
    const [, page = ""] = /no scope contains:([\s\S]*?)\n\n/.exec(readFileSync("docs/oauth.md", "utf8")) ?? [];
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
      const args = await SAMPLES[field.name]?.(space);
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

  it("hold for each argument that an owner alone may give", async () => {
    for (const field of fields) {
      const { needs } = mutations[field.name] ?? {};
      if (typeof needs !== "function") continue;
      const sample = (await SAMPLES[field.name]?.(space)) ?? {};
      for (const [title, more] of alone(field).filter(([, args]) => needs(args) === "owner")) {
        const input: Args = { ...Object(sample["input"]), ...Object(more["input"]) };
        const args = { ...sample, ...more, ...("input" in more && { input }) };
        for (const { name, credential, owns } of callers)
          expect([title, name, !(await refusalOf(space, credential, field, args))]).to.deep.equal([title, name, owns]);
      }
    }
  });

  it("hold for every route: no key and no token of OAuth opens one, and a member none of an owner's", async () => {
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
