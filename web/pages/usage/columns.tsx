import { readOwn } from "../../../formats/own.ts";
import type { RecordedUsageGroupBy } from "../../data/documents.ts";
import { Drawing } from "../../parts/icon.tsx";
import type { Column } from "../../parts/lists/data-table.tsx";
import { Spark } from "../../parts/spark.tsx";
import { count, money } from "../../parts/texts/format.ts";
import {
  change,
  eachOf,
  type Figure,
  type Measured,
  READ,
  type Taken,
  type TakenBefore,
  valuesOf,
  type Whole,
} from "./figures.ts";

const SOURCES: Record<string, [name: string, drawing: string]> = {
  computed: [
    "computed",
    "M3.5 1.8h9v12.4h-9zM5.5 4h5v2.2h-5zM5.6 8.8v.1M8 8.8v.1M10.4 8.8v.1M5.6 11.4v.1M8 11.4v.1M10.4 11.4v.1",
  ],
  reported: ["reported", "M3.5 1.8h9v12.4l-2.2-1.4L8 14.2l-2.3-1.4-2.2 1.4zM6 5h4M6 8h4"],
  none: ["unknown", "M8 2.2a5.8 5.8 0 1 1-.1 0M6.4 6.4a1.7 1.7 0 1 1 2.3 1.6c-.5.2-.7.5-.7 1v.3M8 11.3v.1"],
};

/** The source of a cost: a drawing and a word. */
export function Source({ source }: { source: string }) {
  const [name, drawing] = readOwn(SOURCES, source) ?? SOURCES["none"] ?? ["", ""];
  return (
    <span class={source === "none" ? "cost-source c-run" : "cost-source"}>
      <Drawing d={drawing} class="i-14" />
      {name}
    </span>
  );
}

/** The sessions that a row is about, as far as a filter of sessions can name them. */
export function hrefOf(by: RecordedUsageGroupBy, name: string): string {
  const value = encodeURIComponent(name);
  if (by === "agent" || by === "user" || by === "tool") return `/sessions?${by}=${value}&sort=cost`;
  if (by === "issue") return `/issues/${value}`;
  return `/sessions?q=${value}&sort=cost`;
}

interface ColumnsProps {
  by: string;
  all: Whole;
  /** Undefined until it is read. */
  before: { all: Measured; groups: readonly TakenBefore[] } | undefined;
  figure: Figure;
  days: readonly string[];
}

const costOf = ({ cost }: Measured) => (cost === null ? <span class="c-run">unknown</span> : money(cost));
const eachSession = (taken: Measured) => {
  const each = eachOf(taken, taken.sessions);
  return each === null ? "–" : money(each);
};

/** The columns of the table, with the figures of each value, and of all that was used. */
export function columnsOf({ by, days, all, before, figure }: ColumnsProps): Column<Taken>[] {
  const whole = READ[figure](all) ?? 0;
  const earlier = new Map(before?.groups.map((group) => [group.name, group]));
  const shareOf = (group: Taken) => (whole > 0 ? (READ[figure](group) ?? 0) / whole : 0);
  const changeOf = (group: Taken) => {
    const was = earlier.get(group.name);
    return change(READ[figure](group) ?? 0, was && (READ[figure](was) ?? 0));
  };
  return [
    {
      name: by,
      class: "wide",
      sort: ({ name }) => name,
      cell: ({ name }, link) => (
        <a class="name cut" href={hrefOf(by.toLowerCase() as RecordedUsageGroupBy, name)} title={name} {...link}>
          <bdi>{name}</bdi>
        </a>
      ),
      total: "All",
    },
    {
      name: `${days.length} days`,
      class: "only-wide",
      cell: (group) => <Spark calls={valuesOf([group], days, figure)} failures={[]} />,
    },
    {
      name: "Cost",
      class: "num strong l2",
      label: "cost",
      sort: ({ cost }) => cost ?? -1,
      cell: costOf,
      total: costOf(all),
    },
    { name: "Source", class: "m2 c-source", cell: ({ costSource }) => <Source source={costSource} /> },
    {
      name: "Share",
      class: "only-wide",
      cell: (group) => (
        <span class="row">
          <span class="meter" aria-hidden="true" style={{ "--v": (100 * shareOf(group)).toFixed(0) }}>
            <i />
          </span>
          <span class="mid">{Math.round(100 * shareOf(group))} %</span>
        </span>
      ),
    },
    {
      name: "Change",
      class: "num mid r1",
      label: "change",
      cell: (group) => (before ? changeOf(group) : ""),
      total: before ? change(whole, READ[figure](before.all) ?? 0) : "",
    },
    {
      name: "Sessions",
      class: "num mid only-wide",
      sort: ({ sessions }) => sessions,
      cell: ({ sessions }) => sessions.toLocaleString(),
      total: all.sessions.toLocaleString(),
    },
    {
      name: "Tokens",
      class: "num mid only-wide",
      sort: (group) => READ.tokens(group) ?? 0,
      cell: (group) => count(READ.tokens(group) ?? 0),
      total: count(READ.tokens(all) ?? 0),
    },
    {
      name: "Each session",
      class: "num mid only-wide",
      sort: (group) => eachOf(group, group.sessions) ?? -1,
      cell: eachSession,
      total: eachSession(all),
    },
  ];
}
