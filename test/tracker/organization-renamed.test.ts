import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { citusUrl } from "../support/db/citus.ts";
import { runSql } from "../support/db/postgres.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { sendGraphQL, startServer } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const CREATE = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id url } } }";
const RENAME = "mutation ($input: OrganizationUpdateInput!) { organizationUpdate(input: $input) { success } }";
const url = process.env["TEST_DATABASE_URL"];

type Step = { does: "rename" | "create" | "together"; server: number };
const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom("rename", "create", "create", "together"),
  server: fc.nat(1),
});

/** An organization and the servers that change the organization: two servers if the database can be shared. */
async function scene() {
  const space = await createWorkspace();
  const servers = url ? [space.url, (await startServer()).url] : [space.url];
  const keys = [space.urlKey];
  const ask = async (server: number, query: string, input: object) => {
    const { data, errors } = await sendGraphQL(String(servers[server % servers.length]), space.apiKey, {
      query,
      variables: { input },
    });
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };
  const create = async (server: number): Promise<{ id: string; url: string }> =>
    (await ask(server, CREATE, { teamId: space.teamId, title: "One" })).issueCreate.issue;
  const rename = async (server: number): Promise<void> => {
    const key = `key-${randomUUID()}`;
    keys.push(key);
    await ask(server, RENAME, { urlKey: key });
  };
  return { space, keys, create, rename };
}

/** Returns the position of the urlKey of an address among all urlKeys that the organization has had. */
const ageOf = (keys: readonly string[], address: string): number =>
  keys.indexOf(new URL(address).pathname.split("/")[1] ?? "");

/** Returns the positions of the urlKeys of all issue changes, in the order of the change log. */
const agesIn = async ({ log }: Workspace, keys: readonly string[]): Promise<number[]> =>
  (await log()).filter(({ type }) => type === "Issue").map(({ data }) => ageOf(keys, data.url));

describe("renaming an organization", () => {
  it("gives later log entries the new address, on a server that knew only the old address", async () => {
    const { space, keys, create, rename } = await scene();
    for (let round = 0; round < 3; round += 1) await create(0);
    await rename(1);
    const { id } = await create(0);
    const logged = (await space.log()).find(({ entityId }) => entityId === id);
    expect(ageOf(keys, logged?.data.url)).to.equal(1);
  });

  it("leaves in each log entry the address at the time of the write, by any server at any time", async () => {
    const { space, keys, create, rename } = await scene();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
        for (const { does, server } of steps) {
          if (does === "rename") await rename(server);
          else if (does === "together")
            await Promise.all([create(server), rename(server + 1), create(server + 1), create(server)]);
          else {
            const issue = await create(server);
            const logged = (await space.log()).find(({ entityId }) => entityId === issue.id);
            expect(ageOf(keys, logged?.data.url), "the key in the log").to.equal(keys.length - 1);
            expect(logged?.data.url).to.equal(issue.url);
          }
        }
      }),
      { numRuns: scaleRuns(8) },
    );
    const ages = await agesIn(space, keys);
    expect(ages).to.not.include(-1);
    expect(ages, "no key comes after one that followed it").to.deep.equal([...ages].sort((one, other) => one - other));
  });
});

(citusUrl ? describe : describe.skip)("a new issue, on Citus", () => {
  it("commits on a single Citus node, with and without a webhook", async () => {
    const { issue, does } = await createWorkspace();
    const prepared = async () =>
      Number((await runSql(String(url), "select count(*) from pg_dist_transaction"))[0]?.["count"]);
    // Background work of the server may also write on several nodes, but not in every one of ten attempts.
    const fewest = async () => {
      const differences: number[] = [];
      for (let at = 0; at < 10; at += 1) {
        const before = await prepared();
        await issue();
        differences.push((await prepared()) - before);
      }
      return Math.min(...differences);
    };
    expect(await fewest()).to.equal(0);
    await does("webhookCreate", {
      input: { url: "http://127.0.0.1:9", resourceTypes: ["Issue"], allPublicTeams: true },
    });
    expect(await fewest()).to.equal(0);
  });
});
