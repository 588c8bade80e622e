import { DAY_MS } from "../../../formats/time.ts";
import { IssuesDone, type RecordedUsageGroupBy, Usage, UsageBefore, type UsageQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useTouched } from "../../data/touched.ts";
import { DataTable } from "../../parts/lists/data-table.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { Empty } from "../../parts/states.tsx";
import { useKeys } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { place, setSearch } from "../../shell/router.ts";
import { download } from "../session/export/export.ts";
import { Chart } from "./chart.tsx";
import { columnsOf, hrefOf, Source } from "./columns.tsx";
import {
  csvOf,
  daysIn,
  FIGURES,
  type Figure,
  layersOf,
  type Measured,
  NOTHING,
  type TakenBefore,
  valuesOf,
} from "./figures.ts";
import { Missing, Sums } from "./sums.tsx";

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
/** Usage is counted by the hour: to read it more often shows little. */
const PAUSE_MS = 20_000;

/** One of some values that the address has, the first unless it does. */
function chosen<Value extends string | number>(name: string, values: readonly Value[]): Value {
  const given = place.value.search.get(name);
  return values.find((value) => String(value) === given) ?? (values[0] as Value);
}

/** The beginning of the day, in UTC, so many days ago. */
const dayBefore = (days: number) => new Date((Math.floor(Date.now() / DAY_MS) - days) * DAY_MS).toISOString();

/** Tokens, cost and sessions: by day and by what they went to, against the time before. */
export default function UsagePage() {
  const figure = chosen(
    "figure",
    FIGURES.map(([name]) => name),
  );
  const by = chosen(
    "by",
    BY.map(([name]) => name),
  );
  const span = chosen("days", SPANS);
  const [from, earlier] = [dayBefore(span - 1), dayBefore(2 * span - 1)];
  const { data, error, reload } = useQuery(Usage, { by, from });
  const { data: was } = useQuery(UsageBefore, { by, from: earlier, to: from });
  const { data: done } = useQuery(IssuesDone, { from, before: earlier });
  useTouched(reload, PAUSE_MS);
  const figureBy = (at: number) => () => setSearch({ figure: FIGURES[at]?.[0] }, false);
  const nextBy = () => setSearch({ by: BY[(BY.findIndex(([name]) => name === by) + 1) % BY.length]?.[0] }, false);
  useKeys({ 1: figureBy(0), 2: figureBy(1), 3: figureBy(2), m: nextBy });
  const usage = data?.recordedUsage;
  const before = was && { all: was.all.groups[0] ?? NOTHING, groups: was.recordedUsage.groups };
  return (
    <Page title="Usage" keys={KEYS}>
      <header class="head stick usage-head">
        <h1>Usage</h1>
        <div class="acts">
          <Choice label="Figure" name="figure" values={FIGURES} value={figure} />
          <select
            class="in"
            aria-label="Time"
            value={span}
            onChange={({ currentTarget }) => setSearch({ days: currentTarget.value }, false)}
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
            onClick={() => usage && download(`usage-by-${by}.csv`, csvOf(by, usage.groups))}
          >
            CSV
          </button>
        </div>
      </header>
      <div class="page">
        <Loaded data={data} error={error} retry={reload}>
          {(known) => (
            <>
              <Sums all={known.all.groups[0] ?? NOTHING} before={before?.all} done={done} span={span} />
              <Found used={known} before={before} by={by} figure={figure} span={span} />
            </>
          )}
        </Loaded>
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
      <button key={each} type="button" aria-pressed={each === value} onClick={() => setSearch({ [name]: each }, false)}>
        {words}
      </button>
    ))}
  </div>
);

interface FoundProps {
  used: UsageQuery;
  /** Undefined until it is read. */
  before: { all: Measured; groups: readonly TakenBefore[] } | undefined;
  by: RecordedUsageGroupBy;
  figure: Figure;
  span: number;
}

function Found({ used, before, by, figure, span }: FoundProps) {
  const { groups, ...usage } = used.recordedUsage;
  const days = daysIn(usage.from, usage.to);
  const daysBefore = daysIn(new Date(Date.parse(usage.from) - span * DAY_MS).toISOString(), usage.from);
  const byName = BY.find(([name]) => name === by)?.[1] ?? "";
  const layers = layersOf(groups, days, figure);
  return (
    <>
      <section class="card usage-card" aria-labelledby="by-day">
        <header>
          <h2 id="by-day">{FIGURES.find(([name]) => name === figure)?.[1]} by day</h2>
          <p class="legend">
            {layers.map(({ name }, n) => (
              <span key={name} class="row">
                <i class={`m${n + 1}`} />
                <bdi class="cut">{name}</bdi>
              </span>
            ))}
            <span class="row">
              <i class="before" />
              {span} days before
            </span>
          </p>
        </header>
        <Chart
          figure={figure}
          days={days}
          layers={layers}
          before={valuesOf(before?.groups ?? [], daysBefore, figure)}
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
            <Source source="computed" />
            <Source source="reported" />
            <Source source="none" />
          </span>
        </header>
        {groups.length === 0 ? (
          <NoUsage by={by} />
        ) : (
          <DataTable
            label="Usage"
            class="usage-list"
            rows={groups}
            columns={columnsOf({ by: byName, days, all: used.all.groups[0] ?? NOTHING, before, figure })}
            keyOf={({ name }) => name}
            href={({ name }) => hrefOf(by, name)}
            sorted={figure === "cost" ? "Cost" : figure === "tokens" ? "Tokens" : "Sessions"}
          />
        )}
      </section>
      {(by === "label" || by === "issue") && (
        <p class="hint">
          A session counts whole with each {by} that it has to do with, so the rows may come to more than all that was
          spent.
        </p>
      )}
      {usage.truncated && (
        <p class="hint">Only the 50 that cost most are listed, or older events of this time are still being counted.</p>
      )}
      <Missing groups={groups} />
    </>
  );
}

const NoUsage = ({ by }: { by: string }) => (
  <Empty icon="usage" title="Nothing was used in this time">
    <p>
      {by === "label" || by === "issue"
        ? "No recorded session of this time has to do with an issue."
        : "Tokens and costs of recorded sessions are added up here. Choose a longer time, or connect an agent."}
    </p>
    <div class="row">
      <a class="btn" href="/connect">
        Connect an agent
      </a>
    </div>
  </Empty>
);

const KEYS: [string[], string][] = [
  [["1", "2", "3"], "cost, tokens, sessions"],
  [["M"], "by another value"],
  [["J", "K"], "move"],
  [["↵"], "its sessions"],
];
