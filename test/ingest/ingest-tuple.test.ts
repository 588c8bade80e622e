import { expect } from "chai";
import fc from "fast-check";
import {
  bool,
  column,
  columnArrays,
  int4,
  int8,
  jsonb,
  text,
  timestamptz,
  unnestColumnsSql,
  uuid,
} from "../../server/ingest/tuple/index.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { startSharedServer } from "../support/server.ts";

interface Row {
  id: string;
  name: string | null;
  count: number;
  total: number | null;
  yes: boolean;
  at: number;
  data: unknown;
}

const COLUMNS = [
  column("id", uuid, (row: Row) => row.id),
  column("name", text, (row: Row) => row.name),
  column("count", int4, (row: Row) => row.count),
  column("total", int8, (row: Row) => row.total),
  column("yes", bool, (row: Row) => row.yes),
  column("at", timestamptz, (row: Row) => row.at),
  column("data", jsonb, (row: Row) => JSON.stringify(row.data)),
];

const storable = fc.string({ unit: "grapheme", maxLength: 300 }).filter((value) => !value.includes("\0"));
const row: fc.Arbitrary<Row> = fc.record({
  id: fc.uuid(),
  name: fc.option(storable),
  count: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  total: fc.option(fc.maxSafeNat()),
  yes: fc.boolean(),
  at: fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) }),
  data: fc.dictionary(fc.constantFrom("a", "b"), fc.oneof(storable, fc.integer(), fc.boolean())),
});

describe("a column of values in PostgreSQL's binary format", () => {
  it("is read by the database unchanged, for any values", async () => {
    const { runtime } = await startSharedServer();
    const list = unnestColumnsSql(COLUMNS);
    const read = `select id, name, count, total::text as total, yes, (extract(epoch from at) * 1000)::bigint::text as at, data
      from ${list} as n (id, name, count, total, yes, at, data)`;
    const property = fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
      const found = await runtime.db.query({ text: read, values: columnArrays(COLUMNS, rows) });
      const sent = rows.map((each) => ({
        ...each,
        total: each.total === null ? null : String(each.total),
        at: String(each.at),
      }));
      expect(JSON.parse(JSON.stringify(found))).to.deep.equal(JSON.parse(JSON.stringify(sent)));
    });
    await fc.assert(property, { numRuns: scaleRuns(50) });
  });
});
