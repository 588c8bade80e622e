import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { countRowsRead } from "../support/db/plan-rows.ts";
import { collectReads } from "../support/db/statements.ts";
import { startOwnServer } from "../support/own-server.ts";
import { createOrganization, type Tenant } from "../support/server.ts";

/** Numbers: changes of files in all, changes of `src/busy.ts`, folders of the latter, and entries of a page. */
const [ALL, BUSY, FOLDERS, PAGE] = [40_000, 20_000, 200, 20];

/** SQL that inserts changes of many files; a fifth of the changes have the same path in many worktrees. */
const FILL = `insert into recorded_action (organization_id, session_id, event_id, position, kind, timestamp, path, place, added, removed, data)
  select $1::uuid, md5('s' || n % 1000)::uuid, md5('e' || n)::uuid, 0, 'file', '2026-01-01'::timestamptz + n * interval '1 second',
    '/w' || n % ${FOLDERS} || '/' || f.name, f.place || 'w' || n % ${FOLDERS} || '/', 1, 0, '{"change": "edit", "lines": ["x"]}'
  from generate_series(1, ${ALL}) n cross join lateral (select
    case when n <= ${BUSY} then 'src/busy.ts' else 'lib/f' || n % 9000 || '.ts' end as name,
    case when n <= ${BUSY} then 'busy.ts/src/' else 'f' || n % 9000 || '.ts/lib/' end as place) f`;

describe("files that many sessions changed", () => {
  let app: App;
  let end: () => Promise<void>;
  let tenant: Tenant;
  before(async () => {
    ({ app, end } = await startOwnServer());
    tenant = await createOrganization(app);
    await app.runtime.db.query({ text: FILL, values: [tenant.organizationId] });
    await app.runtime.db.query({ text: "analyze recorded_action" });
  });
  after(() => end());

  /** Reads a page. Returns the number of actions that all its statements read. */
  async function read(args: string): Promise<{ rows: number; nodes: any[]; cursor: string }> {
    const query = `{ recordedFiles(first: ${PAGE}, ${args}) { nodes { createdAt path } pageInfo { endCursor } } }`;
    let answer: any;
    const statements = await collectReads(app, async () => {
      answer = (await tenant.gql(query)).recordedFiles;
    });
    const own = statements.filter(({ text }) => text.includes("recorded_action"));
    expect(own).to.not.be.empty;
    let rows = 0;
    for (const statement of own) rows += (await countRowsRead(app, statement))["recorded_action"] ?? 0;
    return { rows, nodes: answer.nodes, cursor: answer.pageInfo.endCursor };
  }

  it("read by index only the latest change of each folder and as many folders as the page shows", async () => {
    const most = 5 * FOLDERS + 2 * (PAGE + 1) ** 2;
    const first = await read('path: "src/busy.ts"');
    const times = (page: { nodes: any[] }) => page.nodes.map(({ createdAt }) => createdAt);
    const latest = Array.from({ length: 2 * PAGE }, (_, at) => new Date(Date.UTC(2026, 0, 1, 0, 0, BUSY - at)));
    expect(times(first)).to.deep.equal(latest.slice(0, PAGE).map((at) => at.toISOString()));
    expect(first.rows).to.be.lessThan(most);
    const second = await read(`path: "busy.ts", after: "${first.cursor}"`);
    expect(times(second)).to.deep.equal(latest.slice(PAGE).map((at) => at.toISOString()));
    expect(second.rows).to.be.lessThan(2 * most);
    expect((await read('path: "w7/src/busy.ts"')).rows).to.be.lessThan(4 * PAGE);
    expect((await read('path: "nothing.ts"')).rows).to.be.lessThan(4);
  });
});
