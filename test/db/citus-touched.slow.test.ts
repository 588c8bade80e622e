import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { UnavailableError } from "../../db/errors/unavailable.ts";
import { JOBS } from "../../server/jobs/index.ts";
import { citusUrl, disconnectNode, readNode } from "../support/db/citus.ts";
import { buildListCases } from "../support/graphql/documents.ts";
import { MUTATION_SAMPLES } from "../support/graphql/mutations.ts";
import { callRestApi, startSharedServer } from "../support/server.ts";
import { createWorkspace, performMutation, type Workspace } from "../support/workspace.ts";

/** Mutations that write the row of the organization, of which every node has a copy. */
const ON_EVERY_NODE = new Set(["organizationUpdate"]);
/** Jobs that search the rows of all organizations at once, and therefore wait for the node. */
const WAITS = new Set([
  "spent logins and tokens",
  "trash",
  "old changes",
  "silent turns",
  "indexes of names and texts",
]);

(citusUrl ? describe : describe.skip)("on Citus, while another organization's node is away", () => {
  const args = new Map<string, Record<string, unknown>>();
  const database = () => String(process.env["TEST_DATABASE_URL"]);
  let space: Workspace;
  let putBack: () => Promise<void> = async () => {};

  before(async () => {
    space = await createWorkspace();
    for (const [name, sample] of Object.entries(MUTATION_SAMPLES)) args.set(name, await sample(space));
    const node = await readNode(database(), space.organizationId);
    let other = node;
    while (other === node) other = await readNode(database(), randomUUID());
    putBack = await disconnectNode(database(), other);
  });

  after(async () => {
    await putBack();
    // The next test file uses the same server, which checks the nodes once per second.
    const { url } = await startSharedServer();
    while ((await callRestApi(url, "GET", "/api/health")).body["database"] === "degraded") await sleep(100);
  });

  for (const name of Object.keys(MUTATION_SAMPLES)) {
    const code = ON_EVERY_NODE.has(name) ? "UNAVAILABLE" : undefined;
    it(`the mutation is ${code ? "refused for now" : "written"}: ${name}`, async () => {
      const { errors } = await performMutation(space, name, args.get(name) ?? {});
      expect(errors?.[0]?.extensions.code, JSON.stringify(errors)).to.equal(code);
    });
  }

  for (const { name, query } of buildListCases())
    it(`the query succeeds: ${name}`, async () => {
      const { errors } = await space.graphql(query);
      expect(errors?.[0]?.extensions.code).to.not.be.oneOf(["UNAVAILABLE", "INTERNAL_SERVER_ERROR"]);
    });

  for (const [name, { work }] of Object.entries(JOBS))
    it(`the job ${WAITS.has(name) ? "waits" : "runs"}: ${name}`, async () => {
      const { runtime } = await startSharedServer();
      const failure = await runtime.db
        .as("upkeep", async () => work(runtime))
        .then(
          () => undefined,
          (error) => error,
        );
      if (WAITS.has(name)) expect(failure).to.be.instanceOf(UnavailableError);
      else expect(failure).to.equal(undefined);
    });
});
