import { expect } from "chai";
import { definePreparedStatement, knex, toStatement } from "../../db/builder.ts";

/** The builder has no connection, so the tests compare generated SQL. */
describe("the query builder", () => {
  it("writes a statement in the form of the driver", () => {
    expect(toStatement(knex("login").where({ id: "a" }).update({ revokedAt: "now" }))).to.deep.equal({
      text: 'update "login" set "revokedAt" = $1 where "id" = $2',
      values: ["now", "a"],
    });
  });

  it("compiles a prepared statement once, and fills in the values of each call", () => {
    let builds = 0;
    const statement = definePreparedStatement("end-login", ["id", "now"], ({ id, now }) => {
      builds += 1;
      const live = knex("login").where({ id, kind: "web" }).where("expiresAt", ">", now);
      return live.update({ revokedAt: now });
    });
    const text = 'update "login" set "revokedAt" = $1 where "id" = $2 and "kind" = $3 and "expiresAt" > $4';
    expect(statement({ id: "a", now: 1 })).to.deep.equal({ name: "end-login", text, values: [1, "a", "web", 1] });
    expect(statement({ id: "b", now: 2 })).to.deep.equal({ name: "end-login", text, values: [2, "b", "web", 2] });
    expect(builds).to.equal(1);
  });

  it("accepts rows of placeholders, passes objects and lists unchanged, and sends undefined as null", () => {
    const statement = definePreparedStatement("add", ["id", "types", "detail"], (row) => knex("webhook").insert(row));
    const detail = { a: 1 };
    const { text, values } = statement({ id: undefined, types: ["Issue"], detail });
    expect(text).to.equal('insert into "webhook" ("detail", "id", "types") values ($1, $2, $3)');
    expect(values).to.deep.equal([detail, null, ["Issue"]]);
  });

  it("refuses two prepared statements with the same name, which a connection would confuse", () => {
    definePreparedStatement("twice", ["id"], (by) => knex("login").where(by))({ id: "a" });
    const other = definePreparedStatement("twice", ["id"], (by) => knex("account").where(by));
    expect(() => other({ id: "a" })).to.throw("another statement is named twice");
  });

  it("refuses a prepared statement that omits a parameter", () => {
    const statement = definePreparedStatement("lossy", ["id", "organizationId"], ({ id }) =>
      knex("login").where({ id }),
    );
    expect(() => statement({ id: "a", organizationId: "b" })).to.throw("does not use its parameters organizationId");
  });
});
