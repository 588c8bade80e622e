import { expect } from "chai";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { addVariableBlock, removeVariableBlock } from "../../cli/connect/parts/telemetry-env.ts";
import { addJsonParts, hasJsonParts, type JsonPart, removeJsonParts } from "../../cli/files/json.ts";
import { appendTables, parseTomlConfig, removeTables } from "../../cli/files/toml.ts";

const OURS: JsonPart[] = [
  { path: ["mcpServers", "trackway"], value: { command: "node", args: ["x"] } },
  { path: ["env", "OURS"], value: "1" },
  ...["Stop", "Start"].map((event) => ({
    path: ["hooks", event],
    value: { hooks: [{ command: "ours" }] },
    ours: (element: unknown) => JSON.stringify(element ?? "").includes('"ours"'),
  })),
];

/** Settings with entries of the user, also in the places where Trackway adds entries. */
const other = fc.record({ hooks: fc.array(fc.record({ command: fc.constantFrom("theirs", "x") }), { minLength: 1 }) });
const settings = fc.record(
  {
    model: fc.jsonValue(),
    mcpServers: fc.dictionary(fc.constantFrom("a", "b"), fc.jsonValue(), { minKeys: 1 }),
    env: fc.dictionary(fc.constantFrom("A", "B"), fc.string(), { minKeys: 1 }),
    hooks: fc.dictionary(fc.constantFrom("Stop", "Other"), fc.array(other, { minLength: 1 }), { minKeys: 1 }),
  },
  { requiredKeys: [] },
);
const indent = fc.constantFrom("  ", "    ", "\t");
const value = (text: string): unknown => parse(text.replace("\uFEFF", ""));

describe("a member added to a JSON file", () => {
  it("is removed again, and everything else stays unchanged", () => {
    fc.assert(
      fc.property(settings, indent, (theirs, space) => {
        const before = `${JSON.stringify(theirs, null, space)}\n`;
        const added = addJsonParts(before, OURS);
        for (const { path, value: wanted, ours } of OURS) {
          const there = path.reduce((inner: any, key) => inner[key], value(added));
          if (ours) expect(there.filter(ours)).to.deep.equal([wanted]);
          else expect(there).to.deep.equal(wanted);
        }
        expect([hasJsonParts(before, OURS), hasJsonParts(added, OURS)]).to.deep.equal([false, true]);
        expect(value(removeJsonParts(added, OURS, before)), "removed").to.deep.equal(value(before));
      }),
    );
  });

  it("is removed again after the program has changed other members", () => {
    fc.assert(
      fc.property(settings, settings, (before, after) => {
        const text = JSON.stringify(before, null, 2);
        const added = addJsonParts(text, OURS);
        const merged: any = value(added);
        for (const [name, theirs] of Object.entries(after)) merged[name] = { theirs, ...Object(merged[name]) };
        const without = value(removeJsonParts(JSON.stringify(merged), OURS, text));
        expect(JSON.stringify(without)).not.to.match(/OURS|"trackway"|"ours"/);
        for (const name of Object.keys(after)) expect(without).to.have.property(name);
      }),
    );
  });

  it("keeps comments, line endings, indentation and a byte order mark", () => {
    const before = '\uFEFF// mine\r\n{\r\n\t"a": 1, // one\r\n\t"env": {\r\n\t\t"A": "x", // two\r\n\t},\r\n}\r\n';
    const added = addJsonParts(before, OURS);
    for (const kept of ["\uFEFF// mine\r\n", '"a": 1, // one\r\n', "// two\r\n"]) expect(added).to.include(kept);
    expect(added.replaceAll("\r\n", "")).not.to.match(/[\r\n]/);
    const removed = removeJsonParts(added, OURS, before);
    for (const kept of ["\uFEFF// mine\r\n", '"a": 1, // one\r\n', "// two\r\n"]) expect(removed).to.include(kept);
    expect(value(removed)).to.deep.equal({ a: 1, env: { A: "x" } });
  });
});

const TABLE = '[mcp_servers.trackway]\ncommand = "node"\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "ours"\n';
const isOurs = ({ key, value: { command } }: { key: (string | number)[]; value: any }): boolean =>
  key[1] === "trackway" || command === "ours" || (key.length === 3 && key[2] === marker(key));
/** Trackway appends a matcher, so the last matcher is the added matcher. */
const marker = (key: (string | number)[]): unknown =>
  lastStop === undefined ? undefined : key[1] === "Stop" && lastStop;
let lastStop: number | undefined;

const piece = fc.constantFrom(
  'model = "x" # why\n',
  '[a]\nb = """\n[mcp_servers.trackway]\n"""\n',
  "[c.d] # a comment with [brackets]\ne = [\n  1,\n  2,\n]\n",
  '[[hooks.Stop]]\nmatcher = "m"\n[[hooks.Stop.hooks]]\ncommand = "theirs"\n\n\n',
  '# alone\n[[hooks.Other]]\n[[hooks.Other.hooks]]\ncommand = "y"\n',
  '[mcp_servers.other]\ncommand = "z"\nenv = { A = "1" }\n',
);
const tail = fc.constantFrom("", "\n# a comment at the end", "\n\n");

describe("a table added to a TOML file", () => {
  it("is removed again, and every other character stays unchanged", () => {
    fc.assert(
      fc.property(fc.uniqueArray(piece), tail, (pieces, end) => {
        const before = pieces.toSorted((one) => (one.startsWith("model") ? -1 : 0)).join("") + end;
        const added = appendTables(before, TABLE);
        const hooks = (parseTomlConfig(added, "x")["hooks"] as any).Stop;
        lastStop = hooks.length - 1;
        expect(hooks.at(-1)).to.deep.equal({ hooks: [{ command: "ours" }] });
        const removed = removeTables(added, isOurs);
        expect(removed.trimEnd()).to.equal(before.trimEnd());
        expect(removeTables(removed, ({ key }) => key[1] === "trackway")).to.equal(removed);
      }),
    );
  });
});

describe("lines added to an .env file", () => {
  it("are removed again, and do not override values that are already set", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("A=1", "# x", "", "export B='2'"), { maxLength: 4 }), (lines) => {
        const before = lines.map((line) => `${line}\n`).join("");
        const added = addVariableBlock(before, "codex", { A: "9", C: "3" });
        expect(added).to.include("C=3\n");
        expect(added.includes("A=9")).to.equal(!lines.includes("A=1"));
        expect(addVariableBlock(added, "codex", { A: "9", C: "3" })).to.equal(added);
        expect(removeVariableBlock(added, "codex")).to.equal(before);
      }),
    );
  });
});
