import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Unavailable } from "../../db/errors/unavailable.ts";
import { JOBS } from "../../server/jobs/index.ts";
import { citus, nodeOf, takeAway } from "../support/db/citus.ts";
import { listCases } from "../support/graphql/documents.ts";
import { SAMPLES } from "../support/graphql/mutations.ts";
import { sharedServer } from "../support/server.ts";
import { freshWorkspace, perform, type Workspace } from "../support/workspace.ts";

/** These write the row of the organization itself, which stands whole on every node. */
const ON_EVERY_NODE = new Set(["organizationUpdate"]);
/** These search the rows of every organization at once, and so wait for the node. */
const WAITS = new Set(["spent logins and tokens", "trash", "old changes", "silent turns"]);

(citus ? describe : describe.skip)("what an organization asks for while another node is away, on Citus", function () {
  this.timeout(300_000);
  const args = new Map<string, Record<string, unknown>>();
  const database = () => String(process.env["TEST_DATABASE_URL"]);
  let space: Workspace;
  let putBack: () => Promise<void> = async () => {};

  before(async () => {
    space = await freshWorkspace();
    for (const [name, sample] of Object.entries(SAMPLES)) args.set(name, await sample(space));
    const node = await nodeOf(database(), space.organizationId);
    let other = node;
    while (other === node) other = await nodeOf(database(), randomUUID());
    putBack = await takeAway(database(), other);
  });

  after(() => putBack());

  for (const name of Object.keys(SAMPLES)) {
    const code = ON_EVERY_NODE.has(name) ? "UNAVAILABLE" : undefined;
    it(`is ${code ? "refused for now" : "written"}: ${name}`, async () => {
      const { errors } = await perform(space, name, args.get(name) ?? {});
      expect(errors?.[0]?.extensions.code, JSON.stringify(errors)).to.equal(code);
    });
  }

  for (const { name, query } of listCases())
    it(`is read: ${name}`, async () => {
      const { errors } = await space.graphql(query);
      expect(errors?.[0]?.extensions.code).to.not.be.oneOf(["UNAVAILABLE", "INTERNAL_SERVER_ERROR"]);
    });

  for (const [name, { work }] of Object.entries(JOBS))
    it(`is ${WAITS.has(name) ? "left by a job" : "looked after by a job"}: ${name}`, async () => {
      const { runtime } = await sharedServer();
      const failure = await runtime.db
        .as("upkeep", async () => work(runtime))
        .then(
          () => undefined,
          (error) => error,
        );
      if (WAITS.has(name)) expect(failure).to.be.instanceOf(Unavailable);
      else expect(failure).to.equal(undefined);
    });
});
