import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { uuidv7 } from "uuidv7";

// The limit, in a separate process: node's http and one handwritten prepared statement per workload, which returns
// the response as text. The process checks no credential, document or input.

const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"] ?? "", max: 10, options: "-c TimeZone=UTC" });
const [organizationId, userId, urlBase] = [process.env["ORGANIZATION"], process.env["USER_ID"], "http://limit.example"];

const formatTime = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const cursor = (row: string) =>
  `'"' || translate(encode(convert_to('["createdAt-","' || ${formatTime(`${row}."createdAt"`)} || '","' || ${row}.id || '"]', 'UTF8'), 'base64'), E'\\n', '') || '"'`;

const W1 = `with i as materialized (
    select id, "teamId", "stateId", "assigneeId", number, title, priority, "createdAt", "updatedAt",
      row_number() over (order by "createdAt" desc, id desc) n
    from issue where "organizationId" = $1::uuid and "archivedAt" is null and trashed is not true
    order by "createdAt" desc, id desc limit 51),
  l as (select k."issueId" as id, string_agg('{"id":"' || l.id || '","name":' || to_json(l.name)::text || ',"color":' ||
      to_json(l.color)::text || '}', ',' order by l."createdAt" desc, l.id desc) v
    from i join "issueLabelLink" k on k."organizationId" = $1 and k."issueId" = i.id
    join "issueLabel" l on l."organizationId" = $1 and l.id = k."labelId" and l."archivedAt" is null group by 1)
  select '{"data":{"issues":{"nodes":[' || coalesce(string_agg(v, ',' order by n) filter (where n <= 50), '') ||
    '],"pageInfo":{"hasNextPage":' || (count(*) > 50)::text || ',"endCursor":' ||
    (array_agg(c order by n) filter (where n <= 50))[least(count(*), 50)] || '}}}}' as text
  from (select n, ${cursor("i")} as c, '{"id":"' || i.id || '","identifier":"' || t.key || '-' || i.number || '","title":' ||
      to_json(i.title)::text || ',"priority":' || i.priority || ',"createdAt":"' || ${formatTime('i."createdAt"')} ||
      '","updatedAt":"' || ${formatTime('i."updatedAt"')} || '","state":{"id":"' || s.id || '","name":' || to_json(s.name)::text ||
      ',"type":' || to_json(s.type)::text || ',"color":' || to_json(s.color)::text || '},"assignee":' ||
      case when u.id is null then 'null' else '{"id":"' || u.id || '","name":' || to_json(u.name)::text ||
        ',"displayName":' || to_json(u."displayName")::text || '}' end ||
      ',"team":{"id":"' || t.id || '","key":' || to_json(t.key)::text || ',"name":' || to_json(t.name)::text ||
      '},"labels":{"nodes":[' || coalesce(l.v, '') || ']}}' as v
    from i join team t on t."organizationId" = $1 and t.id = i."teamId"
    join "workflowState" s on s."organizationId" = $1 and s.id = i."stateId"
    left join "user" u on u."organizationId" = $1 and u.id = i."assigneeId" left join l on l.id = i.id) r`;

const W2 = `select '{"data":{"issue":{"id":"' || i.id || '","identifier":"' || t.key || '-' || i.number || '","title":' ||
    to_json(i.title)::text || ',"description":' || coalesce(to_json(i.description)::text, 'null') || ',"priority":' ||
    i.priority || ',"createdAt":"' || ${formatTime('i."createdAt"')} || '","state":{"id":"' || s.id || '","name":' ||
    to_json(s.name)::text || ',"type":' || to_json(s.type)::text || '},"assignee":' ||
    case when u.id is null then 'null' else '{"id":"' || u.id || '","name":' || to_json(u.name)::text || '}' end ||
    ',"comments":' || (
      select '{"nodes":[' || coalesce(string_agg(v, ',' order by n) filter (where n <= 20), '') ||
        '],"pageInfo":{"hasNextPage":' || (count(*) > 20)::text || ',"endCursor":' ||
        coalesce((array_agg(k order by n) filter (where n <= 20))[least(count(*), 20)], 'null') || '}}'
      from (select n, ${cursor("c")} as k, '{"id":"' || c.id || '","body":' || to_json(c.body)::text || ',"createdAt":"' ||
          ${formatTime('c."createdAt"')} || '","user":{"id":"' || w.id || '","name":' || to_json(w.name)::text || '}}' as v
        from (select *, row_number() over (order by "createdAt" desc, id desc) n from comment
          where "organizationId" = $1::uuid and "issueId" = $2::uuid and "archivedAt" is null
          order by "createdAt" desc, id desc limit 21) c
        join "user" w on w."organizationId" = $1 and w.id = c."userId") r) || '}}}' as text
  from issue i join team t on t."organizationId" = $1 and t.id = i."teamId"
  join "workflowState" s on s."organizationId" = $1 and s.id = i."stateId"
  left join "user" u on u."organizationId" = $1 and u.id = i."assigneeId"
  where i."organizationId" = $1::uuid and i.id = $2::uuid`;

/** The same writes as Trackway's: change counter, issue counter, row, change with the published data, deliveries. */
const W3 = `with y as (update sync set "lastSyncId" = "lastSyncId" + 1 where "organizationId" = $1::uuid returning "lastSyncId"),
  t as (update team set "issueCounter" = "issueCounter" + 1 where "organizationId" = $1 and id = $2::uuid returning *),
  i as (insert into issue ("organizationId", id, "teamId", number, title, priority, "stateId", "creatorId", "createdAt", "updatedAt")
    select $1, $3::uuid, t.id, t."issueCounter", $4::text, $5::integer, t."defaultStateId", $6::uuid, $7::timestamptz, $7 from t returning *),
  c as (insert into change ("organizationId", "lastSyncId", type, action, event, "entityId", "teamId", data, actor, "createdAt")
    select $1, y."lastSyncId", 'Issue', 'create', 'issue.created', i.id, i."teamId", json_build_object('id', i.id,
      'createdAt', ${formatTime('i."createdAt"')}, 'updatedAt', ${formatTime('i."updatedAt"')}, 'archivedAt', i."archivedAt",
      'teamId', i."teamId", 'number', i.number, 'title', i.title, 'description', i.description, 'priority', i.priority,
      'estimate', i.estimate, 'sortOrder', i."sortOrder", 'stateId', i."stateId", 'assigneeId', i."assigneeId",
      'creatorId', i."creatorId", 'parentId', i."parentId", 'projectId', i."projectId", 'cycleId', i."cycleId",
      'dueDate', i."dueDate", 'previousIdentifiers', i."previousIdentifiers", 'startedAt', i."startedAt",
      'completedAt', i."completedAt", 'canceledAt', i."canceledAt", 'trashed', i.trashed,
      'identifier', t.key || '-' || i.number, 'url', $8::text || '/' || o."urlKey" || '/issue/' || t.key || '-' || i.number ||
        '/' || trim(both '-' from left(regexp_replace(lower(i.title), '[^a-z0-9]+', '-', 'g'), 50)),
      'priorityLabel', (array['No priority', 'Urgent', 'High', 'Medium', 'Low'])[i.priority + 1], 'labelIds', array[]::text[]),
      json_build_object('id', u.id, 'type', 'user', 'name', u.name, 'email', u.email), $7
    from y, t, i, organization o, "user" u where o.id = $1 and u."organizationId" = $1 and u.id = $6
    returning "lastSyncId", "teamId", type, "createdAt"),
  d as (insert into delivery (id, "organizationId", "targetId", "lastSyncId", "nextAttemptAt", "createdAt")
    select gen_random_uuid(), $1, w.id, c."lastSyncId", c."createdAt", c."createdAt" from c
    join webhook w on w."organizationId" = $1 and w.enabled and (w."teamId" is null or w."teamId" = c."teamId")
      and (w."resourceTypes" is null or c.type = any(w."resourceTypes")))
  select '{"data":{"issueCreate":{"success":true,"lastSyncId":' || c."lastSyncId" || ',"issue":{"id":"' || i.id ||
    '","identifier":"' || t.key || '-' || i.number || '","title":' || to_json(i.title)::text || ',"priority":' || i.priority ||
    ',"createdAt":"' || ${formatTime('i."createdAt"')} || '","state":{"id":"' || s.id || '","name":' || to_json(s.name)::text ||
    '},"team":{"id":"' || t.id || '","key":' || to_json(t.key)::text || '}}}}}' as text
  from c, i, t join "workflowState" s on s."organizationId" = $1 and s.id = t."defaultStateId"`;

interface Asked {
  operationName: "W1" | "W2" | "W3";
  variables: { id: string; input: { teamId: string; title: string; priority: number } };
}

const STATEMENTS: Record<Asked["operationName"], (asked: Asked["variables"]) => pg.QueryConfig> = {
  W1: () => ({ name: "W1", text: W1, values: [organizationId] }),
  W2: ({ id }) => ({ name: "W2", text: W2, values: [organizationId, id] }),
  W3: ({ input: { teamId, title, priority } }) => ({
    name: "W3",
    text: W3,
    values: [organizationId, teamId, uuidv7(), title, priority, userId, new Date(), urlBase],
  }),
};

async function bodyOf(request: IncomingMessage): Promise<Asked> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString());
}

const server = createServer(async (request, response) => {
  const { operationName, variables } = await bodyOf(request);
  const { rows } = await pool.query<{ text: string }>(STATEMENTS[operationName](variables));
  const text = rows[0]?.text ?? "";
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", Buffer.byteLength(text));
  response.end(text);
}).listen(0, "127.0.0.1", () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
