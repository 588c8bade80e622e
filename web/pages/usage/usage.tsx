import { DAY_MS } from "../../../formats/time.ts";
import { IssuesDone, type RecordedUsageGroupBy, Usage, UsageBefore, type UsageQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useReloadOnEvents } from "../../data/touched.ts";
import { DataTable } from "../../parts/lists/data-table.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { EmptyState } from "../../parts/states.tsx";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { appLocation, setSearchParameters } from "../../shell/router.ts";
import { downloadFile } from "../session/export/export.ts";
import { UsageChart } from "./chart.tsx";
import { buildUsageColumns, buildUsageHref, CostSourceLabel } from "./columns.tsx";
import {
  buildLayers,
  formatCsv,
  listDays,
  NO_USAGE,
  type PreviousGroupUsage,
  sumFigureByDay,
  USAGE_FIGURES,
  type UsageFigure,
  type UsageMeasures,
} from "./figures.ts";
import { MissingPricesNote, UsageTotals } from "./sums.tsx";

const BY: [by: RecordedUsageGroupBy, name: string][] = [
  ["model", "Model"],
  ["agent", "Agent"],
  ["user", "User"],
  ["label", "Label"],
  ["issue", "Issue"],
  ["repository", "Repository"],
  ["tool", "Tool"],
];
const SPANS = [7, 14, 30];
/**
 * Minimum milliseconds between two reads. The server counts usage by the hour, so more frequent reads would show few
 * changes.
 */
const PAUSE_MS = 20_000;

/** Returns the value that the URL parameter names; by default the first value. */
function readChoice<Value extends string | number>(name: string, values: readonly Value[]): Value {
  const given = appLocation.value.search.get(name);
  return values.find((value) => String(value) === given) ?? (values[0] as Value);
}

/** Returns the time at which a past day began, in UTC. `days` is the number of days ago. */
const dayBefore = (days: number) => new Date((Math.floor(Date.now() / DAY_MS) - days) * DAY_MS).toISOString();

/**
 * Page of tokens, cost and sessions, by day and by a property such as the agent. The page compares each figure with the
 * previous period.
 */
export default function UsagePage() {
  const figure = readChoice(
    "figure",
    USAGE_FIGURES.map(([name]) => name),
  );
  const by = readChoice(
    "by",
    BY.map(([name]) => name),
  );
  const span = readChoice("days", SPANS);
  const [from, earlier] = [dayBefore(span - 1), dayBefore(2 * span - 1)];
  const { data, error, reload } = useQuery(Usage, { by, from });
  const { data: was } = useQuery(UsageBefore, { by, from: earlier, to: from });
  const { data: done } = useQuery(IssuesDone, { from, before: earlier });
  useReloadOnEvents(reload, PAUSE_MS);
  const figureBy = (at: number) => () => setSearchParameters({ figure: USAGE_FIGURES[at]?.[0] }, false);
  const nextBy = () =>
    setSearchParameters({ by: BY[(BY.findIndex(([name]) => name === by) + 1) % BY.length]?.[0] }, false);
  useKeyboardShortcuts({ 1: figureBy(0), 2: figureBy(1), 3: figureBy(2), m: nextBy });
  const usage = data?.recordedUsage;
  const before = was && { all: was.all.groups[0] ?? NO_USAGE, groups: was.recordedUsage.groups };
  return (
    <Page title="Usage" keys={KEYS}>
      <header class="head stick usage-head">
        <h1>Usage</h1>
        <div class="acts">
          <Choice label="Figure" name="figure" values={USAGE_FIGURES} value={figure} />
          <select
            class="in"
            aria-label="Time range"
            value={span}
            onChange={({ currentTarget }) => setSearchParameters({ days: currentTarget.value }, false)}
          >
            {SPANS.map((days) => (
              <option key={days} value={days}>
                Last {days} days
              </option>
            ))}
          </select>
          <button
            class="btn only-wide"
            type="button"
            disabled={!usage}
            onClick={() => usage && downloadFile(`usage-by-${by}.csv`, formatCsv(by, usage.groups))}
          >
            CSV
          </button>
        </div>
      </header>
      <div class="page">
        <LoadedContent data={data} error={error} retry={reload}>
          {(known) => (
            <>
              <UsageTotals all={known.all.groups[0] ?? NO_USAGE} before={before?.all} done={done} span={span} />
              <Found used={known} before={before} by={by} figure={figure} span={span} />
            </>
          )}
        </LoadedContent>
      </div>
    </Page>
  );
}

interface ChoiceProps {
  label: string;
  name: string;
  values: readonly [string, string][];
  value: string;
}

const Choice = ({ label, name, values, value }: ChoiceProps) => (
  <div class="seg choice-of" role="group" aria-label={label}>
    {values.map(([each, words]) => (
      <button
        key={each}
        type="button"
        aria-pressed={each === value}
        onClick={() => setSearchParameters({ [name]: each }, false)}
      >
        {words}
      </button>
    ))}
  </div>
);

interface FoundProps {
  used: UsageQuery;
  /** Usage in the previous period; undefined until the usage is read. */
  before: { all: UsageMeasures; groups: readonly PreviousGroupUsage[] } | undefined;
  by: RecordedUsageGroupBy;
  figure: UsageFigure;
  span: number;
}

function Found({ used, before, by, figure, span }: FoundProps) {
  const { groups, ...usage } = used.recordedUsage;
  const days = listDays(usage.from, usage.to);
  const daysBefore = listDays(new Date(Date.parse(usage.from) - span * DAY_MS).toISOString(), usage.from);
  const byName = BY.find(([name]) => name === by)?.[1] ?? "";
  const layers = buildLayers(groups, days, figure);
  return (
    <>
      <section class="card usage-card" aria-labelledby="by-day">
        <header>
          <h2 id="by-day">{USAGE_FIGURES.find(([name]) => name === figure)?.[1]} by day</h2>
          <p class="legend">
            {layers.map(({ name }, n) => (
              <span key={name} class="row">
                <i class={`m${n + 1}`} />
                <bdi class="cut">{name}</bdi>
              </span>
            ))}
            <span class="row">
              <i class="before" />
              previous {span} days
            </span>
          </p>
        </header>
        <UsageChart
          figure={figure}
          days={days}
          layers={layers}
          before={sumFigureByDay(before?.groups ?? [], daysBefore, figure)}
        />
      </section>
      <section class="card" aria-labelledby="by-what">
        <header class="wrap">
          <h2 id="by-what" class="sr">
            Usage by {byName.toLowerCase()}
          </h2>
          <span class="only-wide" aria-hidden="true">
            By
          </span>
          <Choice label="By" name="by" values={BY} value={by} />
          <span class="acts only-wide">
            <CostSourceLabel source="computed" />
            <CostSourceLabel source="reported" />
            <CostSourceLabel source="none" />
          </span>
        </header>
        {groups.length === 0 ? (
          <NoUsage by={by} />
        ) : (
          <DataTable
            label="Usage"
            class="usage-list"
            rows={groups}
            columns={buildUsageColumns({ by: byName, days, all: used.all.groups[0] ?? NO_USAGE, before, figure })}
            keyOf={({ name }) => name}
            href={({ name }) => buildUsageHref(by, name)}
            sorted={figure === "cost" ? "Cost" : figure === "tokens" ? "Tokens" : "Sessions"}
          />
        )}
      </section>
      {(by === "label" || by === "issue") && (
        <p class="hint">
          A session counts in full for each {by} that is linked to the session, so the sum of the rows may be greater
          than the total.
        </p>
      )}
      {usage.truncated && (
        <p class="hint">
          The list may be incomplete: it shows the 50 rows with the highest cost, or Trackway is still counting older
          events.
        </p>
      )}
      <MissingPricesNote groups={groups} />
    </>
  );
}

const NoUsage = ({ by }: { by: string }) => (
  <EmptyState icon="usage" title="No usage in this time range">
    <p>
      {by === "label" || by === "issue"
        ? "No recorded session in this time range is linked to an issue."
        : "This page shows the tokens and costs of recorded sessions. Choose a longer time range, or connect an agent."}
    </p>
    <div class="row">
      <a class="btn" href="/connect">
        Connect an agent
      </a>
    </div>
  </EmptyState>
);

const KEYS: [string[], string][] = [
  [["1", "2", "3"], "cost, tokens, sessions"],
  [["M"], "change grouping"],
  [["J", "K"], "move"],
  [["↵"], "show sessions"],
];
