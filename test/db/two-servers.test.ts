import { expect } from "chai";
import fc from "fast-check";
import { type Fleet, startFleet } from "../../bench/servers/fleet.ts";
import { type Follower, followQuery, followRealtime } from "../../bench/webhooks/followers.ts";
import { retryWhileBusy } from "../support/db/busy.ts";
import { describeOnPostgres, runSql } from "../support/db/postgres.ts";
import { createOrganization, sendGraphQL, type Tenant } from "../support/server.ts";
import { createTeam } from "../support/tracker/stream-writes.ts";

const CREATES = 400;
/** Requests in flight at each server. */
const AT_ONCE = 50;
const CREATE = `mutation ($input: IssueCreateInput!) {
  issueCreate(input: $input) { lastSyncId issue { number } } }`;

/**
 * Returns the differences of a follower's numbers from 1, 2, 3 … `last`: missing, duplicate, reordered or unknown
 * numbers.
 */
function faultsIn(seen: readonly number[], last: number): number[] {
  const length = Math.max(seen.length, last);
  return Array.from({ length }, (_, at) => at + 1).filter((number) => number > last || seen[number - 1] !== number);
}

/** Polls without a limit. The timeout of mocha ends the test. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 100));
}

interface Made {
  lastSyncId: number;
  issue: { number: number };
}

/** Creates 400 issues with enough parallel requests that some wait. */
async function createAll({ apiKey }: Tenant, server: string, teamId: string): Promise<Made[]> {
  const create = async (): Promise<Made> => {
    const variables = { input: { teamId, title: "One of 800" } };
    const { data, errors } = await sendGraphQL(server, apiKey, { query: CREATE, variables });
    if (errors) throw new Error(JSON.stringify(errors));
    return data.issueCreate;
  };
  const share = async (): Promise<Made[]> => {
    const made: Made[] = [];
    for (let at = 0; at < CREATES / AT_ONCE; at += 1) made.push(await retryWhileBusy(create));
    return made;
  };
  return (await Promise.all(Array.from({ length: AT_ONCE }, share))).flat();
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

describe("the check of a follower's change numbers", () => {
  const stream = fc.integer({ min: 2, max: 60 }).chain((last) =>
    fc.record({
      last: fc.constant(last),
      at: fc.integer({ min: 0, max: last - 1 }),
      other: fc.integer({ min: 0, max: last - 1 }),
    }),
  );

  it("finds nothing in a complete stream, and finds missing, duplicate, reordered and surplus numbers", () => {
    fc.assert(
      fc.property(stream, ({ last, at, other }) => {
        const whole = upTo(last);
        expect(faultsIn(whole, last)).to.deep.equal([]);
        expect(faultsIn(whole.toSpliced(at, 1), last), "missing").to.not.deep.equal([]);
        expect(faultsIn(whole.toSpliced(at, 0, whole[at] ?? 0), last), "doubled").to.not.deep.equal([]);
        expect(faultsIn([...whole, last + 1], last), "too many").to.not.deep.equal([]);
        if (at === other) return;
        const moved = whole.toSpliced(at, 1).toSpliced(other, 0, whole[at] ?? 0);
        expect(faultsIn(moved, last), "moved").to.not.deep.equal([]);
      }),
    );
  });
});

describeOnPostgres("two servers that create 400 issues each at the same time", () => {
  const url = String(process.env["TEST_DATABASE_URL"]);
  const followers: Follower[] = [];
  let fleet: Fleet;
  let tenant: Tenant;
  let made: Made[];
  let log: number[];

  before(async () => {
    fleet = await startFleet(2, {
      DATABASE_URL: url,
      JWT_SECRET: "a secret of the tests, long enough to be one",
      GRAPHQL_REQUESTS_PER_HOUR: "off",
      GRAPHQL_COMPLEXITY_PER_HOUR: "off",
    });
    tenant = await createOrganization({ url: fleet.urls[0] });
    const teamId = await createTeam(tenant);
    for (const [at, server] of fleet.urls.entries()) {
      followers.push(followRealtime(`socket at server ${at + 1}`, server, tenant.apiKey));
      followers.push(followQuery([server], tenant.apiKey));
    }
    made = (await Promise.all(fleet.urls.map((server) => createAll(tenant, server, teamId)))).flat();
    const text = `select "lastSyncId"::integer as number from change where "organizationId" = '${tenant.organizationId}'`;
    log = (await runSql(url, `${text} order by 1`)).map(({ number }) => Number(number));
    await until(() => followers.every(({ seen }) => (seen.at(-1) ?? 0) >= log.length));
  });

  after(async () => {
    for (const follower of followers) follower.stop();
    await fleet?.stop();
  });

  it("give the issues the numbers 1 to 800, and positions in a change log without gaps", () => {
    const sorted = (numbers: number[]) => numbers.sort((one, other) => one - other);
    expect(sorted(made.map(({ issue }) => issue.number))).to.deep.equal(upTo(2 * CREATES));
    expect(new Set(made.map(({ lastSyncId }) => lastSyncId)).size).to.equal(2 * CREATES);
    expect(faultsIn(log, log.length)).to.deep.equal([]);
    expect(log.length).to.be.at.least(2 * CREATES);
  });

  it("send followers of either server, by socket and by query, every change once and in order", () => {
    expect(followers.length).to.equal(4);
    for (const { name, seen, complaints } of followers) {
      expect(faultsIn(seen, log.length), name).to.deep.equal([]);
      expect(complaints, name).to.deep.equal([]);
    }
  });

  it("control: the check detects a follower that missed a change", () => {
    for (const { name, seen } of followers) {
      const at = Math.floor(seen.length / 2);
      expect(faultsIn(seen.toSpliced(at, 1), log.length), name).to.include(at + 1);
    }
  });
});
