import { expect } from "chai";
import { compiled, knex, toStatement } from "../../db/builder.ts";

/** The builder has no connection, so what it promises is what it writes. */
describe("the query builder", () => {
  it("writes a statement in the driver's own form", () => {
    expect(toStatement(knex("login").where({ id: "a" }).update({ revokedAt: "now" }))).to.deep.equal({
      text: 'update "login" set "revokedAt" = $1 where "id" = $2',
      values: ["now", "a"],
    });
  });

  it("compiles a prepared statement once, and puts each call's values into their places", () => {
    let builds = 0;
    const statement = compiled("end-login", ["id", "now"], ({ id, now }) => {
      builds += 1;
      const live = knex("login").where({ id, kind: "web" }).where("expiresAt", ">", now);
      return live.update({ revokedAt: now });
    });
    const text = 'update "login" set "revokedAt" = $1 where "id" = $2 and "kind" = $3 and "expiresAt" > $4';
    expect(statement({ id: "a", now: 1 })).to.deep.equal({ name: "end-login", text, values: [1, "a", "web", 1] });
    expect(statement({ id: "b", now: 2 })).to.deep.equal({ name: "end-login", text, values: [2, "b", "web", 2] });
    expect(builds).to.equal(1);
  });

  it("takes whole rows of placeholders, sends objects and lists untouched, and undefined as null", () => {
    const statement = compiled("add", ["id", "types", "detail"], (row) => knex("webhook").insert(row));
    const detail = { a: 1 };
    const { text, values } = statement({ id: undefined, types: ["Issue"], detail });
    expect(text).to.equal('insert into "webhook" ("detail", "id", "types") values ($1, $2, $3)');
    expect(values).to.deep.equal([detail, null, ["Issue"]]);
  });

  it("refuses two prepared statements of one name, of which a connection would run the first for both", () => {
    compiled("twice", ["id"], (by) => knex("login").where(by))({ id: "a" });
    const other = compiled("twice", ["id"], (by) => knex("account").where(by));
    expect(() => other({ id: "a" })).to.throw("another statement is named twice");
  });

  it("refuses a prepared statement that leaves a parameter out", () => {
    const statement = compiled("lossy", ["id", "organizationId"], ({ id }) => knex("login").where({ id }));
    expect(() => statement({ id: "a", organizationId: "b" })).to.throw("does not use its parameters organizationId");
  });
});
