import { issueLabelSetSql } from "../../server/resources/label/label-set.ts";

/** The size of the large organization. 200 small organizations exist beside it. */
export interface Size {
  issues: number;
  events: number;
  /** Number of sessions. The default is one per five issues. */
  sessions?: number;
  /** Number of recorded users. The default is one per ten sessions. */
  users?: number;
}

export const SMALL_ORGANIZATIONS = { organizations: 200, issues: 100 };
/** Numbers per organization. */
export const TEAMS = 20;
export const USERS = 50;
const LABELS = 30;
const PROJECTS = 50;
const CYCLES = 40;

/** SQL of the id of the n-th row of a kind. Organizations share ids, because keys begin with the organization. */
export const buildIdSql = (kind: string, n: string): string =>
  `('01990000-0000-7${kind}-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
/** SQL of a pseudo-random number below `below` that is the same in each run. */
const pick = (below: string | number, salt: number): string => `pg_temp.pick(n, ${salt}, ${below})`;
const moment = (n = "n", every = "20 seconds"): string => `timestamptz '2026-01-01' + (${n}) * interval '${every}'`;
const issues = "scale_organization o, generate_series(1, o.issues) n";
const few = (count: number): string => `scale_organization o, generate_series(1, ${count}) n`;

/** Words with a natural distribution: a small number of common words and many rare words. */
const WORDS = [
  `create function pg_temp.pick(n bigint, salt bigint, below bigint) returns bigint immutable parallel safe language sql
     as $$ select (hashint8extended(n, salt) & 9007199254740991) % below $$`,
  `create temporary table scale_word as
     select i, (array['ba','ke','ti','so','mu','ra','le','ni','do','vu'])[i % 10 + 1]
       || (array['st','rk','nd','lm','pt'])[i / 10 % 5 + 1] || (array['a','er','on','is','um','el'])[i / 50 % 6 + 1]
       || case when i >= 300 then (array['ly','ing','ed','or','al','ic','ty','en','us','ot'])[i / 300 % 10 + 1] else '' end as word
     from generate_series(1, 3000) i`,
  `create temporary table scale_sentence as select n as place, string_agg(s.word, ' ' order by w) as text
     from generate_series(0, 3999) n cross join generate_series(1, 10) w
     join scale_word s on s.i = floor(exp(pg_temp.pick(n, w, 1000000) / 1000000.0 * ln(3000))) group by n`,
  "create unique index on scale_sentence (place)",
  "analyze scale_sentence",
];

const PEOPLE = [
  `insert into organization (id, name, "urlKey", "createdAt", "updatedAt")
   select id, 'Organization ' || number, 'organization-' || number, ${moment("0")}, ${moment("0")} from scale_organization`,
  `insert into sync ("organizationId", "lastSyncId", "oldestSyncId") select id, issues, 1 from scale_organization`,
  `insert into "user" ("organizationId", id, "accountId", role, name, "displayName", email, "createdAt", "updatedAt")
   select o.id, ${buildIdSql("0b0", "n")}, ${buildIdSql("0b0", `o.number * ${USERS} + n`)}, 'owner', 'Person ' || n, 'person' || n,
     'p' || n || '.' || o.number || '@example.com', ${moment()}, ${moment()} from ${few(USERS)}`,
];

const STATES = `array['backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate']`;
const PLANS = [
  `insert into team ("organizationId", id, key, name, "issueCounter", "defaultStateId", "createdAt", "updatedAt")
   select o.id, ${buildIdSql("0c0", "n")}, 'T' || n, 'Team ' || n, o.issues / ${TEAMS} + 10, ${buildIdSql("0d0", "n * 6")}, ${moment()}, ${moment()}
   from ${few(TEAMS)}`,
  `insert into "teamKey" ("organizationId", key, "teamId") select "organizationId", key, id from team`,
  `insert into "workflowState" ("organizationId", id, "teamId", name, type, color, position, "createdAt", "updatedAt")
   select o.id, ${buildIdSql("0d0", "n")}, ${buildIdSql("0c0", "n / 6")}, initcap((${STATES})[n % 6 + 1]), (${STATES})[n % 6 + 1], '#bec2c8',
     n % 6, ${moment()}, ${moment()} from scale_organization o, generate_series(6, ${TEAMS * 6 + 5}) n`,
  `insert into "issueLabel" ("organizationId", id, name, color, "createdAt", "updatedAt")
   select o.id, ${buildIdSql("0e0", "n")}, 'label ' || n, '#5e6ad2', ${moment()}, ${moment()} from ${few(LABELS)}`,
  `insert into "projectStatus" ("organizationId", id, name, type, color, position, "createdAt", "updatedAt")
   select o.id, ${buildIdSql("1a0", "1")}, 'Planned', 'planned', '#bec2c8', 0, ${moment("0")}, ${moment("0")} from scale_organization o`,
  `insert into project ("organizationId", id, name, color, "statusId", "createdAt", "updatedAt")
   select o.id, ${buildIdSql("1b0", "n")}, 'Project ' || n, '#bec2c8', ${buildIdSql("1a0", "1")}, ${moment()}, ${moment()} from ${few(PROJECTS)}`,
  `insert into "projectTeam" ("organizationId", "projectId", "teamId")
   select o.id, ${buildIdSql("1b0", "n")}, ${buildIdSql("0c0", `n % ${TEAMS} + 1`)} from ${few(PROJECTS)}`,
  `insert into cycle ("organizationId", id, "teamId", number, "startsAt", "endsAt", "createdAt", "updatedAt")
   select o.id, ${buildIdSql("1c0", "n")}, ${buildIdSql("0c0", `n % ${TEAMS} + 1`)}, n / ${TEAMS} + 1, ${moment("n", "14 days")},
     ${moment("n + 1", "14 days")}, ${moment()}, ${moment()} from ${few(CYCLES)}`,
];

/** SQL of an issue's state: 68 of 100 issues are done. One of 50,000 issues contains the word quixotic. */
const state =
  "(case when d.s < 10 then 0 when d.s < 20 then 1 when d.s < 26 then 2 when d.s < 94 then 3 else d.s % 2 + 4 end)";
const sentence = (salt: number | string): string =>
  `(select s.text from scale_sentence s where s.place = pg_temp.pick(n, ${salt}, 4000))`;
const WORK = [
  // Inserts links before issues. Foreign keys are not checked, and each issue row stores its labels.
  `insert into "issueLabelLink" ("organizationId", "issueId", "labelId")
   select distinct o.id, ${buildIdSql("0f0", "n")}, ${buildIdSql("0e0", `pg_temp.pick(n, 20 + k, ${LABELS}) + 1`)}
   from ${issues}, generate_series(1, 2) k where n % 2 < k`,
  `insert into issue ("organizationId", id, "teamId", number, title, description, priority, estimate, "stateId", "stateType",
     "assigneeId", "creatorId", "parentId", "projectId", "cycleId", "dueDate", "completedAt", trashed, "archivedAt",
     "createdAt", "updatedAt", "labelSet")
   select o.id, ${buildIdSql("0f0", "n")}, ${buildIdSql("0c0", `n % ${TEAMS} + 1`)}, n / ${TEAMS} + 1,
     initcap(${sentence(1)}) || case when n % 50000 = 77 then ' quixotic' else '' end,
     case when n % 10 > 0 then ${sentence(2)} || '. ' || ${sentence(3)} || '. ' || ${sentence(4)} end,
     case when ${pick(100, 5)} = 0 then 1 else ${pick(3, 6)} + 2 end, nullif(${pick(6, 7)}, 0),
     ${buildIdSql("0d0", `(n % ${TEAMS} + 1) * 6 + ${state}`)}, (${STATES})[${state} + 1],
     case when n % 5 > 0 then ${buildIdSql("0b0", `${pick(USERS, 8)} + 1`)} end, ${buildIdSql("0b0", `${pick(USERS, 9)} + 1`)},
     case when n % 20 = 19 then ${buildIdSql("0f0", "n - 10")} end, case when n % 5 < 3 then ${buildIdSql("1b0", `${pick(PROJECTS, 10)} + 1`)} end,
     case when n % 10 < 3 then ${buildIdSql("1c0", `${pick(CYCLES, 11)} + 1`)} end,
     case when n % 20 = 3 then date '2026-01-01' + (n % 365)::int end, case when ${state} = 3 then ${moment("(n + 1)")} end,
     case when n % 1000 = 5 then true end, case when n % 30 = 1 then ${moment("(n + 2)")} end,
     ${moment()}, ${moment("(n + d.s)")}, ${issueLabelSetSql("o.id", buildIdSql("0f0", "n"))}
   from ${issues}, lateral (select ${pick(100, 12)} as s) d`,
  `insert into comment ("organizationId", id, body, "issueId", "userId", "createdAt", "updatedAt")
   select o.id, ${buildIdSql("0a1", "n * 2 + k")}, ${sentence("30 + k")} || '. ' || ${sentence("33 + k")},
     ${buildIdSql("0f0", "n")}, ${buildIdSql("0b0", `${pick(USERS, 40)} + 1`)}, ${moment("(n * 2 + k)", "10 seconds")}, ${moment("(n * 2 + k)", "10 seconds")}
   from ${issues}, generate_series(0, 1) k`,
  `insert into change ("organizationId", "lastSyncId", type, action, event, "entityId", "teamId", data, actor, "createdAt")
   select o.id, n, 'Issue', 'create', 'issue.created', ${buildIdSql("0f0", "n")}, ${buildIdSql("0c0", `n % ${TEAMS} + 1`)}, '{}', '{}', ${moment()}
   from scale_organization o, generate_series(greatest(1, o.issues - 100000), o.issues) n`,
];

/** SQL of every table with few rows, and of issues and related rows. */
export const trackerRows: readonly string[] = [...WORDS, ...PEOPLE, ...PLANS, ...WORK];

/** 200,000 sessions fill 88 days. */
const SESSION_EVERY = "38 seconds";
/**
 * Number of statements for the events of sessions. A single statement would exceed the embedded engine's time limit.
 */
const PIECES = 10;

/** SQL of recorded data. The last session has 2,000 events, each below the event before its tenth. */
export const recordedRows = (events: number): string[] => [
  `insert into recorded_user (organization_id, user_id, traits, first_seen_at)
   select o.id, 'user-' || n, jsonb_build_object('plan', (array['free', 'team', 'firm'])[n % 3 + 1], 'seat', n), ${moment()}
   from scale_organization o, generate_series(1, o.users) n`,
  `insert into recorded_session (organization_id, session_id, user_id, metadata, timestamp, timestamp_sent, registered,
     received_at, last_received_at, events, failures, turns, tool_calls, input_tokens, output_tokens, cost, reported_costs)
   select o.id, ${buildIdSql("2a0", "n")}, 'user-' || ${pick("o.users", 50)} + 1, jsonb_build_object('branch', 'topic-' || n % 5000, 'repository', 'repository-' || n % 40),
     ${moment("n", SESSION_EVERY)}, true, true, ${moment("n", SESSION_EVERY)}, ${moment("n", SESSION_EVERY)}, ${events}, 1, 1, ${events - 1}, 1200, 50, 0.01, 1
   from scale_organization o, generate_series(1, o.sessions) n`,
  ...Array.from(
    { length: PIECES },
    (
      _,
      piece,
    ) => `insert into recorded_event (organization_id, event_id, session_id, parent_id, timestamp, received_at, latency, timestamp_sent,
     success, primitive_name, primitive_type, args, result, message, model, input_tokens, output_tokens, cost)
   select o.id, ${buildIdSql("2b0", `n::bigint * ${events} + k`)}, ${buildIdSql("2a0", "n")}, case when k > 0 then ${buildIdSql("2b0", `n::bigint * ${events}`)} end,
     ${moment("n", SESSION_EVERY)} + k * interval '1 second', ${moment("n", SESSION_EVERY)}, ${pick(3000, 51)} + k, true,
     pg_temp.pick(n * 100 + k, 52, 20) > 0,
     case when k > 0 then (array['Read', 'Write', 'Bash', 'Search', 'Fetch', 'Test'])[(n + k) % 6 + 1]
       when n % 20000 = 7 then 'rare-agent' else (array['coder', 'reviewer', 'planner'])[n % 3 + 1] end,
     case when k > 0 then 'tool' end, ${sentence("k")}, ${sentence("100 + k")},
     case when pg_temp.pick(n * 100 + k, 52, 20) = 0 then ${sentence("100 + k")} end,
     case when k = 0 then 'model-' || n % 12 end, case when k = 0 then 1200 end, case when k = 0 then 50 end, case when k = 0 then 0.01 end
   from scale_organization o, generate_series(o.sessions * ${piece} / ${PIECES} + 1, o.sessions * ${piece + 1} / ${PIECES}) n,
     generate_series(0, ${events - 1}) k`,
  ),
  `insert into "issueSession" ("organizationId", "issueId", "sessionId", mentioned)
   select o.id, ${buildIdSql("0f0", "n % o.issues + 1")}, ${buildIdSql("2a0", "n")}, true from scale_organization o, generate_series(10, o.sessions, 10) n`,
  `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered, received_at, last_received_at, events)
   select o.id, ${buildIdSql("2a0", "0")}, '{}', ${moment("0")}, true, true, ${moment("0")}, ${moment("0")}, 2000 from scale_organization o where number = 0`,
  `insert into recorded_event (organization_id, event_id, session_id, parent_id, timestamp, received_at, latency, timestamp_sent,
     success, primitive_name, primitive_type, args, result)
   select o.id, ${buildIdSql("2c0", "n")}, ${buildIdSql("2a0", "0")}, case when n > 10 then ${buildIdSql("2c0", "n / 10")} end, ${moment("n", "1 second")},
     ${moment("n", "1 second")}, 10, true, true, case when n > 10 then 'Read' else 'coder' end, case when n > 10 then 'tool' end, 'a', 'b'
   from scale_organization o, generate_series(1, 2000) n where number = 0`,
];
