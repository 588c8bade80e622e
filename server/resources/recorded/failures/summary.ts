import type { Build } from "../../../read/entity.ts";
import { bind, entityOf, newRow, organization } from "../../../read/row.ts";
import { argsOf, type Selection } from "../../../read/selection.ts";
import type { Resource } from "../../resource.ts";
import { rangeOf } from "../analytics/index.ts";
import { computedRow } from "../computed-row.ts";
import { STATES, stateOf } from "./state.ts";

/** Groups that one answer counts, those that happened last. */
const MOST = 10_000;
const MOST_DAYS = 92;

/** Raw SQL: a part of what the read planner writes. The groups that failed since a moment, by their state. */
function summary(build: Build, selection: Selection): string {
  const since = bind(build, `${selection.argumentIndex}.from`, "timestamptz", ({ args, scope }) =>
    new Date(rangeOf(argsOf(selection, args), scope.at, MOST_DAYS).from).toISOString(),
  );
  const group = newRow(build, entityOf(build, "RecordedFailureGroup"));
  const counts = STATES.map((state) => `count(*) filter (where n <= ${MOST} and state = '${state}') as "${state}"`);
  return `select ${counts.join(", ")}, count(*) > ${MOST} as truncated from (
    select row_number() over () as n, ${stateOf(group)} as state from (select * from recorded_failure_group g
      where g.organization_id = ${organization(build)} and g.last_at >= ${since} and g.failures > 0
      order by g.last_at desc limit ${MOST + 1}) ${group.alias}) c`;
}

/** Root field `recordedFailureSummary`: how many groups of failures there are in each state. */
export const recordedFailureSummary: Resource = {
  entity: {
    name: "RecordedFailureSummary",
    table: "",
    columns: {
      ...(Object.fromEntries(STATES.map((state) => [state, "integer"])) as Record<string, "integer">),
      truncated: "boolean",
    },
  },
  values: { recordedFailureSummary: { scans: () => 0.5, ...computedRow("RecordedFailureSummary", summary) } },
};
