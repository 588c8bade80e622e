import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { getOwnProperty } from "../../formats/own.ts";
import { findInherited } from "../../scripts/own-properties.js";

/** Source lines, and whether the rule refuses the line. */
const LINES: readonly [line: string, isRefused: boolean][] = [
  ["declare const name: string, one: 'a' | 'b', at: number, anything: any;", false],
  ["declare const table: Readonly<Record<string, number>>;", false],
  ["const fixed = { a: 1, b: 2 };", false],
  ["export const read = table[name];", true],
  ["export const lower = table[name.toLowerCase()];", true],
  ["export const pattern = table['x' + name];", true],
  ["export const chained = (table as typeof table | undefined)?.[name];", true],
  ["export const unknown = table[anything];", true],
  ["export const cast = fixed[name as keyof typeof fixed];", true],
  ["export const generic = <Name extends string>(key: Name) => table[key];", true],
  ["export const either = table[at > 1 ? name : 'a'];", true],
  ["export const isMember = name in fixed;", true],
  ["export const added = (counts: Record<string, number>) => (counts[name] ??= 0);", true],
  ["export const literal = table['a'];", false],
  ["export const ofSet = fixed[one];", false],
  ["export const listed = [1, 2][at];", false],
  ["export const mapped = new Map([['a', 1]]).get(name);", false],
  ["export const own = Object.hasOwn(fixed, name);", false],
];

describe("the rule against inherited properties", () => {
  it("refuses each read by a name that may be any text, and nothing else", () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "trackway-own-")));
    try {
      const config = join(folder, "tsconfig.json");
      const path = join(folder, "source.ts");
      writeFileSync(
        config,
        JSON.stringify({ compilerOptions: { strict: true, lib: ["es2023"], types: [] }, include: ["."] }),
      );
      writeFileSync(path, LINES.map(([line]) => line).join("\n"));
      const found = findInherited(config, (each) => each === path);
      const refused = LINES.flatMap(([, isRefused], at) => (isRefused ? [at + 1] : []));
      expect(found.map(({ line }) => line)).to.deep.equal(refused);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("has a helper, getOwnProperty, that reads own properties only", () => {
    const parsed = JSON.parse('{"__proto__": 1, "a": 2}');
    expect(getOwnProperty({ a: 1 }, "constructor")).to.equal(undefined);
    expect(getOwnProperty({ a: 1 }, "__proto__")).to.equal(undefined);
    expect([getOwnProperty(parsed, "__proto__"), getOwnProperty(parsed, "a")]).to.deep.equal([1, 2]);
    expect([getOwnProperty(null, "a"), getOwnProperty(undefined, "a")]).to.deep.equal([undefined, undefined]);
  });
});
