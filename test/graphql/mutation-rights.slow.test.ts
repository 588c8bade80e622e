import { expect } from "chai";
import { type GraphQLObjectType, getNamedType, isLeafType } from "graphql";
import { combinedSchema } from "../../server/graphql/schema.ts";
import { mutations } from "../../server/resources/index.ts";
import { MUTATION_SAMPLES } from "../support/graphql/mutations.ts";
import { inviteGuest } from "../support/members.ts";
import { type GraphQLReply, sendGraphQL } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

type Args = Record<string, unknown>;
const fields = combinedSchema.getMutationType()?.getFields() ?? {};

/** Selects every field of a payload without arguments, except lists, two levels deep. */
function everything(type: GraphQLObjectType, depth = 2): string {
  return Object.values(type.getFields())
    .flatMap((field) => {
      const named = getNamedType(field.type);
      if (field.args.length > 0) return [];
      if (isLeafType(named)) return [field.name];
      return depth > 1 && "getFields" in named
        ? [`${field.name} { ${everything(named as GraphQLObjectType, 1)} }`]
        : [];
    })
    .join(" ");
}

function send(url: string, credential: string, name: string, args: Args, key?: string): Promise<GraphQLReply> {
  const field = fields[name];
  if (!field) throw new Error(name);
  const given = field.args.filter((arg) => arg.name in args);
  const query = `mutation (${given.map((arg) => `$${arg.name}: ${arg.type}`).join(", ")}) {
    ${name}(${given.map((arg) => `${arg.name}: $${arg.name}`).join(", ")}) { ${everything(getNamedType(field.type) as GraphQLObjectType)} } }`;
  return sendGraphQL(url, credential, { query, variables: args }, key ? { "Idempotency-Key": key } : {});
}

/** Every mutation without its switches, and with each switch on. */
const VARIANTS = Object.values(fields).flatMap(({ name, args }) => {
  const switches = args.filter(({ type }) => String(type) === "Boolean").map((arg) => ({ [arg.name]: true }));
  return [{}, ...switches].map((more) => ({ name, more: more as Args }));
});

describe("permission for a mutation", () => {
  let space: Workspace;
  let guest: { id: string; accessToken: string };
  const give = (role: string) => space.rest("PATCH", `/api/members/${guest.id}`, { role });
  before(async () => {
    space = await createWorkspace();
    guest = await inviteGuest(space);
  });
  const as = (name: string, args: Args, key?: string) =>
    send(space.url, `Bearer ${guest.accessToken}`, name, args, key);

  it("is tested with sample arguments for every mutation", () => {
    expect(Object.keys(MUTATION_SAMPLES).sort(), "test/support/graphql/mutations.ts").to.deep.equal(
      Object.keys(mutations).sort(),
    );
  });

  it("is checked again for a repeated Idempotency-Key", async () => {
    const guarded: string[] = [];
    for (const { name, more } of VARIANTS) {
      const args = { ...(await MUTATION_SAMPLES[name]?.(space)), ...more };
      const tried = await as(name, args);
      if (tried.errors?.[0]?.extensions.code !== "FORBIDDEN") continue;
      const title = [name, ...Object.keys(more)].join(" ");
      await give("owner");
      const first = await as(name, args, title);
      await give("member");
      // An owner may also be refused because of the row: a comment's author never changes.
      if (first.errors?.[0]?.extensions.code === "FORBIDDEN") continue;
      guarded.push(title);
      const again = await as(name, args, title);
      expect([title, first.errors]).to.deep.equal([title, undefined]);
      expect([title, again.errors?.[0]?.extensions.code, again.data]).to.deep.equal([title, "FORBIDDEN", null]);
    }
    expect(guarded).to.include.members(["webhookRotateSecret", "organizationUpdate", "issueDelete permanentlyDelete"]);
  });
});

describe("the secret in a repeated response for an Idempotency-Key", () => {
  const ROTATE = (id: string) => ({ name: "webhookRotateSecret", args: { id } });
  let space: Workspace;
  beforeEach(async () => {
    space = await createWorkspace();
  });
  const made = async () =>
    (await space.does("webhookCreate", (await MUTATION_SAMPLES["webhookCreate"]?.(space)) ?? {}, "webhook { id }"))
      .webhook.id;
  const rotate = (id: string, key?: string) => send(space.url, space.apiKey, ROTATE(id).name, ROTATE(id).args, key);
  const secretOf = (reply: GraphQLReply) => reply.data?.webhookRotateSecret?.secret;

  it("is the secret of the first call", async () => {
    const id = await made();
    const first = await rotate(id, "one");
    expect(secretOf(await rotate(id, "one")))
      .to.equal(secretOf(first))
      .and.match(/^whsec_/);
  });

  it("is refused after the secret was rotated", async () => {
    const id = await made();
    await rotate(id, "one");
    const newest = secretOf(await rotate(id));
    const again = await rotate(id, "one");
    expect([again.errors?.[0]?.extensions.code, again.data]).to.deep.equal(["CONFLICT", null]);
    expect(JSON.stringify(again)).to.not.include(newest);
  });

  it("of a creation is null after the secret was rotated", async () => {
    const args = (await MUTATION_SAMPLES["webhookCreate"]?.(space)) ?? {};
    const create = () => send(space.url, space.apiKey, "webhookCreate", args, "create");
    const first = (await create()).data.webhookCreate.webhook;
    expect((await create()).data.webhookCreate.webhook.secret).to.equal(first.secret);
    await rotate(first.id);
    const again = (await create()).data.webhookCreate.webhook;
    expect([again.id, again.secret]).to.deep.equal([first.id, null]);
  });
});
