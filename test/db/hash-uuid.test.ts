import { expect } from "chai";
import { hashUuid } from "../../db/distribution/hash.ts";
import { citusUrl } from "../support/db/citus.ts";
import { runSql } from "../support/db/postgres.ts";
import { startSharedServer } from "../support/server.ts";

const TEXT =
  "select id::text, uuid_hash(id) as hash from (select gen_random_uuid() as id from generate_series(1, 200)) as u";

describe("the hash of a UUID that determines the Citus shard", () => {
  it("equals the hash of the database", async () => {
    const { db } = (await startSharedServer()).runtime;
    const rows = citusUrl ? await runSql(citusUrl, TEXT) : await db.query({ text: TEXT });
    expect(rows).to.have.length(200);
    for (const { id, hash } of rows) expect(hashUuid(String(id)), String(id)).to.equal(hash);
  });
});
