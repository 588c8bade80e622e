import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { rowsRead } from "../support/db/plan-rows.ts";
import { statementsOf } from "../support/db/statements.ts";
import { ownServer } from "../support/own-server.ts";
import { freshOrganization, type Tenant } from "../support/server.ts";

/** Changes of files in all; those of `src/busy.ts`, in so many folders; and a page of them. */
const [ALL, BUSY, FOLDERS, PAGE] = [40_000, 20_000, 200, 20];

/** Changes of many files, a fifth of them of one path in many worktrees. */
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
    ({ app, end } = await ownServer());
    tenant = await freshOrganization(app);
    await app.runtime.db.query({ text: FILL, values: [tenant.organizationId] });
    await app.runtime.db.query({ text: "analyze recorded_action" });
  });
  after(() => end());

  /** The actions that a page reads, all its statements together. */
  async function read(args: string): Promise<{ rows: number; nodes: any[]; cursor: string }> {
    const query = `{ recordedFiles(first: ${PAGE}, ${args}) { nodes { createdAt path } pageInfo { endCursor } } }`;
    let answer: any;
    const statements = await statementsOf(app, async () => {
      answer = (await tenant.gql(query)).recordedFiles;
    });
    const own = statements.filter(({ text }) => text.includes("recorded_action"));
    expect(own).to.not.be.empty;
    let rows = 0;
    for (const statement of own) rows += (await rowsRead(app, statement))["recorded_action"] ?? 0;
    return { rows, nodes: answer.nodes, cursor: answer.pageInfo.endCursor };
  }

  it("are read by the index: of each folder the latest change, and a page of as many folders as it shows", async () => {
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
