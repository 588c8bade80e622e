import type { Browser } from "playwright-core";
import { issueLabelSetSql } from "../../server/resources/label/label-set.ts";
import type { Tenant } from "../../test/support/server.ts";
import { openSignedIn } from "../../test/support/web/web.ts";
import { computeMedian } from "../support/figures.ts";
import type { Scene } from "./scene.ts";

export const ISSUES = 50_000;
const TIMES = 9;

const GROUPS = `query ($groupBy: IssueGroupBy, $filter: IssueFilter) {
  issueGroups(groupBy: $groupBy, filter: $filter) { count groups { key count } } }`;
/** The default filter of the list. */
const OPEN = { state: { type: { nin: ["completed", "canceled", "duplicate"] } } };

/** Issues per INSERT, because a statement's time is limited. */
const SLICE = 1_000;

/**
 * Issues of an organization's teams, spread over states, priorities and labels. Raw SQL, because sending the issues
 * would take minutes.
 */
const ISSUE_ROWS = `insert into issue ("organizationId", id, "teamId", number, title, priority, "stateId", "stateType", "creatorId", "assigneeId",
      "createdAt", "updatedAt")
    select $1, gen_random_uuid(), t.id, 1000 + n, 'Fix what broke in build ' || n, n % 5, s.id, s.type, u.id,
      case when n % 3 = 0 then u.id end, now() - n * interval '1 minute', now() - n * interval '1 minute'
    from generate_series($2::int, $3::int) n
    join (select id, row_number() over (order by id) - 1 as place, count(*) over () as teams from team where "organizationId" = $1) t
      on t.place = n % t.teams
    join (select id, type, "teamId", row_number() over (partition by "teamId" order by position) - 1 as place,
      count(*) over (partition by "teamId") as states from "workflowState" where "organizationId" = $1) s
      on s."teamId" = t.id and s.place = n / 7 % s.states
    join (select id from "user" where "organizationId" = $1 limit 1) u on true`;

const AFTER = [
  `insert into "issueLabelLink" ("organizationId", "issueId", "labelId")
    select $1, i.id, l.id from issue i join "issueLabel" l on l."organizationId" = $1
     where i."organizationId" = $1 and i.number % 3 = length(l.name) % 3`,
  `update issue i set "labelSet" = ${issueLabelSetSql('i."organizationId"', "i.id")} where i."organizationId" = $1`,
  "vacuum (analyze) issue",
  `vacuum (analyze) "issueLabelLink"`,
];

/** Creates four teams with the issues in an organization. */
export async function fillIssues({ app }: Pick<Scene, "app">, { organizationId, gql }: Tenant): Promise<void> {
  for (const key of ["ENG", "OPS", "WEB", "APP"])
    await gql(`mutation { teamCreate(input: { name: "${key}", key: "${key}" }) { success } }`);
  for (const name of ["bug", "crash", "regression"])
    await gql(`mutation { issueLabelCreate(input: { name: "${name}", color: "#cc2222" }) { success } }`);
  await app.runtime.db.connection(async (client) => {
    for (let n = 0; n < ISSUES; n += SLICE) await client.query(ISSUE_ROWS, [organizationId, n + 1, n + SLICE]);
    for (const text of AFTER) await client.query(text, text.includes("$1") ? [organizationId] : []);
  });
}

/** Median duration of the counts of each grouping, in ms. */
export async function measureCounts({ gql }: Tenant): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const groupBy of ["state", "priority", "assignee", "team", "label"])
    for (const [name, filter] of Object.entries({ open: OPEN, all: {} }))
      times[`${groupBy}, ${name}`] = await timed(() => gql(GROUPS, { groupBy, filter }));
  return times;
}

/** Marks the frame that shows the first row, inside the page, because the browser's driver notices the row later. */
const MARK_FIRST_ROW = `new MutationObserver((_, observer) => {
  if (!document.querySelector("[data-row]")) return;
  observer.disconnect();
  requestAnimationFrame(() => performance.mark("first row"));
}).observe(document, { childList: true, subtree: true })`;
/** A function instead of a text, because the page's content security policy forbids evaluating text. */
const firstRow = () => performance.getEntriesByName("first row")[0]?.startTime;

/** The time from navigation to the first row of the list: the median of several visits, in ms. */
export async function measureList(browser: Browser, tenant: Tenant): Promise<number> {
  const { page } = await openSignedIn(browser, tenant, "/connect");
  await page.addInitScript(MARK_FIRST_ROW);
  const times: number[] = [];
  for (let n = 0; n < TIMES; n += 1) {
    await page.goto(`${tenant.url}/issues`);
    await page.waitForFunction(firstRow);
    times.push(Number(await page.evaluate(firstRow)));
  }
  await page.context().close();
  return Math.round(computeMedian(times));
}

/** The median of several durations in ms, without the first. */
async function timed(act: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n <= TIMES; n += 1) {
    const begun = performance.now();
    await act();
    times.push(performance.now() - begun);
  }
  return Math.round(computeMedian(times.slice(1)));
}
