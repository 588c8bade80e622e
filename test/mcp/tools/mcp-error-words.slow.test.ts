import { expect } from "chai";
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType } from "graphql";
import { uuidv7 } from "uuidv7";
import type { Tool } from "../../../mcp/registry/define-tool.ts";
import { TOOLS } from "../../../mcp/registry/tools.ts";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import { connectSharedClient, type McpClient } from "../../support/mcp.ts";
import { sample } from "../../support/run/runs.ts";
import { createWorkspace } from "../../support/workspace.ts";

type Schema = Readonly<Record<string, any>>;
type Args = Record<string, unknown>;

const LONG = "x".repeat(100_000);
const NOWHERE = uuidv7();
/** Invalid values by the type in the schema. A list also gets the invalid values of the item's type. */
const BAD: Record<string, unknown[]> = {
  string: ["", LONG, "no such thing", "ENG-1", NOWHERE, "a\u0000b", 7],
  integer: [-1, 0.5, 1e9, 1e15, "7"],
  boolean: ["yes"],
};

function badValues({ type, items, enum: among }: Schema): unknown[] {
  if (among) return ["no such thing"];
  if (type === "array")
    return [
      "x",
      Array(600).fill("x"),
      ...badValues(items)
        .filter((each) => each !== LONG)
        .map((each) => [each]),
    ];
  if (type === "object") return ["x", {}, { nothing: 1 }];
  return BAD[type] ?? [];
}

/** Names from GraphQL with two or more parts, so that no name is an English word. */
const NAMES = new Set(
  Object.values(combinedSchema.getTypeMap()).flatMap((type) => [
    type.name,
    ...(isEnumType(type) ? type.getValues().map(({ name }) => name) : []),
    ...(isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
      ? Object.values(type.getFields()).flatMap((field) => [
          field.name,
          ...("args" in field ? field.args.map((argument: { name: string }) => argument.name) : []),
        ])
      : []),
  ]),
);
const isForeign = (word: string) => /[a-z][A-Z]/.test(word) && NAMES.has(word);

/** Lists the faults in the text of an error. */
function faultsIn(text: string, bad: string, parameters: readonly string[]): string[] {
  const [, named] = /^(\w+)(?:\.[\w.]+)?: /.exec(text) ?? [];
  return [
    ...(text.match(/\w+/g) ?? []).filter(isForeign),
    ...(text.match(/\binput\.\w+|\bcommand-argument\b|GraphQL|\bfilter\b/g) ?? []),
    ...(named !== undefined && (named !== bad || !parameters.includes(named)) ? [`names ${named}`] : []),
    ...(text.match(/Too (?:small|big)|Invalid (?:input|string|option|key)|>=|<=|\bNaN\b|received \w+|Unrecognized/g) ??
      []),
    ...(/[^.!?…] (?:Correct|Call again|Find|Look|Read|Repeat|Wait|Add|Ask|Pass|Take|Leave|Write|Make)\b/.test(text)
      ? ["a next step within a sentence"]
      : []),
    ...(/[.!?…]$/.test(text) ? [] : ["no end of a sentence"]),
    ...(text.length > 450 ? [`${text.length} characters`] : []),
  ];
}

describe("an MCP tool's error for an invalid value", () => {
  let client: McpClient;
  let good: Record<string, Args>;
  before(async () => {
    const space = await createWorkspace();
    const [one, other] = [(await space.issue()).identifier, (await space.issue()).identifier];
    await space.does("issueLabelCreate", { input: { name: "bug" } });
    const { project } = await space.does(
      "projectCreate",
      { input: { name: "Checkout", teamIds: [space.teamId] } },
      "project { id }",
    );
    await space.does("projectMilestoneCreate", { input: { name: "Alpha", projectId: project.id } });
    const span = { startsAt: "2026-03-02T00:00:00Z", endsAt: "2026-03-16T00:00:00Z" };
    await space.does("cycleCreate", { input: { teamId: space.teamId, ...span } });
    client = await connectSharedClient(space, { "x-api-key": space.ingestKey, "x-mcp-toolsets": "all" });
    const session_id = uuidv7();
    const turn = { session_id, user_id: "u", agent: "a", user_message: "hello", reply: "hi" };
    const event_id = (await client.call("capture_turn", turn)).data.turn.event_id;
    const issue = { issue: one };
    good = {
      get_team: { team: "ENG" },
      get_issue: issue,
      create_issue: { team: "ENG", title: "A title" },
      update_issue: issue,
      create_comment: { ...issue, body: "A body" },
      search_sessions: { text: "hello" },
      get_session: { session_id },
      get_event: { event_id },
      capture_turn: turn,
      claim_issue: issue,
      finish_issue: { ...issue, summary: "Done" },
      release_issue: issue,
      link_issues: { ...issue, type: "blocks", to: other },
      unlink_issues: { ...issue, to: other },
      plan_issues: { team: "ENG", issues: [{ title: "A title" }] },
      save_label: { label: "bug", name: "bug" },
      save_project: { project: "Checkout", name: "Checkout" },
      save_cycle: { cycle: "1", name: "First" },
      save_milestone: { milestone: "Alpha", name: "Alpha" },
      update_issues: { issues: [one] },
      create_issue_from_session: { session_id, team: "ENG" },
      create_issue_from_failure: { event_id, team: "ENG" },
    };
  });

  async function refusalsOf({ name, definition }: Tool): Promise<{ args: Args; text: string }[]> {
    const { properties } = definition["inputSchema"] as Schema;
    const all: Args[] = Object.entries<Schema>(properties).flatMap(([parameter, each]) =>
      badValues(each).map((value) => ({ [parameter]: value })),
    );
    const bad = sample(all);
    const refusals = [];
    for (let at = 0; at < bad.length; at += 8) {
      const some = bad.slice(at, at + 8).map(async (value) => {
        const args = { ...good[name], ...value };
        const { isError, text, data } = await client.call(name, args);
        const texts = isError ? [text] : (data.results ?? []).flatMap((each: { error?: string }) => each.error ?? []);
        return texts.map((each: string) => ({ args: value, text: each }));
      });
      refusals.push(...(await Promise.all(some)).flat());
    }
    return refusals;
  }

  for (const tool of TOOLS.values()) {
    it(`uses only terms of the tool ${tool.name}`, async () => {
      const parameters = Object.keys(tool.inputSchema.shape);
      const wrong = (await refusalsOf(tool)).flatMap(({ args, text }) => {
        const faults = faultsIn(text, String(Object.keys(args)[0]), parameters);
        return faults.length > 0
          ? [`${JSON.stringify(args).slice(0, 60)}: ${text.slice(0, 300)} (${faults.join(", ")})`]
          : [];
      });
      expect(wrong).to.deep.equal([]);
    });
  }
});
