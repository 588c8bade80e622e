import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type PlacedTable, requiredPlacementsStatement } from "../../../db/distribution/placement.ts";
import { FOREIGN_KEYS_SQL, type ForeignKey } from "../../../db/distribution/statements.ts";
import { startSharedServer } from "../../support/server.ts";

/** Small tables that are looked up by a key other than the organization. Every node has a complete copy. */
const BY_SOMETHING_ELSE = new Set([
  ...[
    "account",
    "deletedAccount",
    "deletedOrganization",
    "login",
    "refreshToken",
    "welcome",
    "organization",
    "invitation",
  ],
  ...["apiKey", "ingestKey", "oauthClient", "oauthCode", "oauthToken", "passwordReset"],
]);
/** Foreign keys that Citus does not support. The server must keep these references valid without the database. */
const GIVEN_UP = ["oauthToken to oauthGrant"];

const bare = (name: string): string => name.replaceAll('"', "");

async function placed(): Promise<Map<string, PlacedTable>> {
  const { db } = (await startSharedServer()).runtime;
  const tables = await db.query<PlacedTable>(requiredPlacementsStatement);
  return new Map(tables.map((table) => [table.name, table]));
}

describe("the placement of tables on Citus nodes", () => {
  it("is by organization, except for tables listed here with a reason", async () => {
    const tables = [...(await placed()).values()];
    expect(tables.filter(({ wanted }) => wanted === "distributed").length).to.be.greaterThan(30);
    const others = tables.filter(({ wanted, name }) => wanted === "reference" && !BY_SOMETHING_ELSE.has(name));
    const cure = "begin the primary key with the organization, or list the table in this test and say how it is found";
    expect(
      others.map(({ name }) => name),
      cure,
    ).to.deep.equal([]);
  });

  it("keeps every foreign key, except for those listed here", async () => {
    const tables = await placed();
    const { db } = (await startSharedServer()).runtime;
    const keys = await db.query<ForeignKey>({ text: FOREIGN_KEYS_SQL });
    const wanted = (name: string) => tables.get(bare(name))?.wanted;
    const lost = keys.filter(
      ({ table, target }) =>
        (wanted(table) !== "distributed" && wanted(target) === "distributed") ||
        (wanted(table) === "local") !== (wanted(target) === "local"),
    );
    const names = lost.map(({ table, target }) => `${bare(table)} to ${bare(target)}`);
    expect(names.filter((name) => !GIVEN_UP.includes(name))).to.deep.equal([]);
  });

  it("is known for each part of a statement: the organization is a parameter, never another row's column", () => {
    const sources = readdirSync("server", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const correlated = sources.filter((name) =>
      /= *\$\{\w+(\.\w+)*\}\."?organization(Id|_id)\b/.test(readFileSync(join("server", name), "utf8")),
    );
    expect(correlated, "write organization(build) there").to.deep.equal([]);
  });
});
