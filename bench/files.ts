import { createOrganization } from "../test/support/server.ts";
import { insertRows } from "./inbox/fill.ts";
import { onEachEngine, timeQuery } from "./support/queries.ts";

/**
 * Numbers of all file changes, changes of `package.json`, sessions that
 * made the changes, and worktrees of the sessions.
 */
const [ALL, COMMON, SESSIONS, FOLDERS] = [1_000_000, 300_000, 5_000, 200];

const sessionId = (n: string) => `md5('session ' || $1::uuid || ${n} % ${SESSIONS})::uuid`;

const RECORDED = {
  count: SESSIONS,
  sql: `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered, received_at,
      last_received_at, source, observed, state)
    select $1::uuid, ${sessionId("n")}, jsonb_build_object('cwd', '/work/tree' || n % ${FOLDERS}), at, false, true, at, at, 'codex', '{}', 'ended'
    from generate_series($2::int, $3::int) n, lateral (select now() - n * interval '10 minutes' as at) a`,
};

const CHANGES = {
  count: ALL,
  sql: `insert into recorded_action (organization_id, session_id, event_id, position, kind, timestamp, path, place, added, removed, data)
    select $1::uuid, ${sessionId("n")}, gen_random_uuid(), 0, 'file', now() - n * interval '5 seconds',
      '/work/tree' || n % ${FOLDERS} || '/' || f.folder || f.name, f.name || '/' || f.folder || 'tree' || n % ${FOLDERS} || '/work/', 3, 1,
      '{"change": "edit", "lines": ["a line that was added", "another"]}'
    from generate_series($2::int, $3::int) n cross join lateral (select
      case when n % 10 < ${(10 * COMMON) / ALL} then '' else 'src/' end as folder,
      case when n % 10 < ${(10 * COMMON) / ALL} then 'package.json' else 'file' || n % 40000 || '.ts' end as name) f`,
};

const NODES = "nodes { path change added removed createdAt session { id } } pageInfo { hasNextPage endCursor }";
const files = (args: string) => `{ recordedFiles(first: 50, ${args}) { ${NODES} } }`;

/** Prints how long two queries take among a million changes: who changed a file, and which files a session changed. */
export const benchFiles = (): Promise<void> =>
  onEachEngine(async (engine, app) => {
    const tenant = await createOrganization(app);
    for (const rows of [RECORDED, CHANGES]) await insertRows(app.runtime.db, tenant.organizationId, rows);
    const path = 'path: "package.json"';
    const { recordedFiles, recordedSessions } = await tenant.gql(
      `{ recordedFiles(first: 50, ${path}) { pageInfo { endCursor } } recordedSessions(first: 1) { nodes { id } } }`,
    );
    const queries = {
      "package.json of 60 folders": files(path),
      "its second page": files(`${path}, after: "${recordedFiles.pageInfo.endCursor}"`),
      "a whole path": files('path: "/work/tree1/package.json"'),
      "a path without its folder": files('path: "src/file39999.ts"'),
      "a path that nobody changed": files('path: "src/nothing.ts"'),
      "files of a session": `{ recordedSession(id: "${recordedSessions.nodes[0].id}") { files { nodes { path added removed edits } } } }`,
    };
    const rows = [];
    for (const [name, query] of Object.entries(queries)) rows.push({ name, ...(await timeQuery(tenant, query)) });
    console.log(`${ALL.toLocaleString("en")} changes of files, ${engine}`);
    console.table(rows);
  });
