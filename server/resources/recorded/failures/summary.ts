import type { StatementBuild } from "../../../read/entity.ts";
import { bindOrganization, bindParameter, findEntity, newRow } from "../../../read/row.ts";
import { type Selection, selectedArguments } from "../../../read/selection.ts";
import type { Resource } from "../../resource.ts";
import { readRange } from "../analytics/index.ts";
import { createComputedRowField } from "../computed-row.ts";
import { FAILURE_STATES, failureStateSql } from "./state.ts";

/** Maximum number of groups that a response counts, by the latest failure. */
const MOST = 10_000;
const MOST_DAYS = 92;

/** Raw SQL: a fragment for the read planner. The number of groups with failures since a time, by state. */
function summary(build: StatementBuild, selection: Selection): string {
  const since = bindParameter(build, `${selection.argumentIndex}.from`, "timestamptz", ({ args, scope }) =>
    new Date(readRange(selectedArguments(selection, args), scope.at, MOST_DAYS).from).toISOString(),
  );
  const group = newRow(build, findEntity(build, "RecordedFailureGroup"));
  const counts = FAILURE_STATES.map(
    (state) => `count(*) filter (where n <= ${MOST} and state = '${state}') as "${state}"`,
  );
  return `select ${counts.join(", ")}, count(*) > ${MOST} as truncated from (
    select row_number() over () as n, ${failureStateSql(group)} as state from (select * from recorded_failure_group g
      where g.organization_id = ${bindOrganization(build)} and g.last_at >= ${since} and g.failures > 0
      order by g.last_at desc limit ${MOST + 1}) ${group.alias}) c`;
}

/** Root field `recordedFailureSummary`: the number of failure groups in each state. */
export const recordedFailureSummary: Resource = {
  entity: {
    name: "RecordedFailureSummary",
    table: "",
    columns: {
      ...(Object.fromEntries(FAILURE_STATES.map((state) => [state, "integer"])) as Record<string, "integer">),
      truncated: "boolean",
    },
  },
  values: {
    recordedFailureSummary: { scans: () => 0.5, ...createComputedRowField("RecordedFailureSummary", summary) },
  },
};
