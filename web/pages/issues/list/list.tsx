import type { ComponentChildren } from "preact";
import type { IssueGroupBy } from "../../../data/documents.ts";
import { Icon } from "../../../parts/icon.tsx";
import { keptHere, useKept } from "../../../shell/kept.ts";
import { openNewIssue } from "../../../shell/new-issue-state.ts";
import { place, setSearch } from "../../../shell/router.ts";
import { filterOfGroup, type Group, type Groups } from "./groups.tsx";
import { draftIn } from "./new-in-group.ts";
import { COLUMNS, type Listed, Pages } from "./rows.tsx";
import { sortName } from "./sort.ts";

interface ListProps extends Listed {
  groups: Groups;
  by: IssueGroupBy | undefined;
}

/** Groups that are open before anybody opened or folded one: each is read by itself. */
const OPEN_FIRST = 8;

/** The issues of a filter, by groups that fold. */
export const IssueList = ({ groups: { groups, total }, by, ...list }: ListProps) => (
  <IssueFrame total={total} sorts>
    {by ? (
      groups.map((group, at) => <GroupRows key={group.key} group={group} by={by} at={at} {...list} />)
    ) : (
      <tbody role="rowgroup">
        <Whole {...list} total={total} />
      </tbody>
    )}
  </IssueFrame>
);

interface FrameProps {
  total: number;
  /** It can be sorted by its heads. */
  sorts: boolean;
  children: ComponentChildren;
}

/** The table of issues: its heads, around its rows. */
export const IssueFrame = ({ total, sorts, children }: FrameProps) => (
  <table class="tbl issue-list" role="table" aria-label="Issues" aria-rowcount={total}>
    <thead role="rowgroup">
      <tr role="row">
        <Head class="c-check" name="Select" quiet />
        <Head class="c-priority" name="Priority" quiet />
        <Head class="c-id" name="Id" />
        <Head class="c-title" name="Issue" {...(sorts && { sort: "title", usual: "up" })} />
        <Head class="c-labels" name="Labels" />
        <Head class="c-holder" name="Held by" />
        <Head class="c-course" name="Course" />
        <Head class="c-proof" name="Proof" />
        <Head class="c-who" name="Assignee" />
        <Head class="c-when num" name="Updated" {...(sorts && { sort: "updated" })} />
      </tr>
    </thead>
    {children}
  </table>
);

interface HeadProps {
  class: string;
  name: string;
  /** Only screen readers say its name. */
  quiet?: boolean;
  /** The order that it gives, and the way in which that usually goes. */
  sort?: string;
  usual?: "up";
}

/** A head. One that sorts turns the order when it is pressed again. */
function Head({ class: more, name, quiet, sort, usual }: HeadProps) {
  const shown = sortName(place.value.search);
  const here = sort !== undefined && shown.replace(/\.up$/, "") === sort;
  const up = shown.endsWith(".up") !== (usual === "up");
  const order = here ? (up ? "ascending" : "descending") : "none";
  return (
    <th role="columnheader" class={more} aria-sort={sort ? order : undefined}>
      {sort ? (
        <button type="button" onClick={() => setSearch({ sort: shown === sort ? `${sort}.up` : sort }, false)}>
          {name}
          {here && <Icon name={up ? "up" : "dn"} class="i-14" />}
        </button>
      ) : (
        <span class={quiet ? "sr" : undefined}>{name}</span>
      )}
    </th>
  );
}

function Whole({ total, ...list }: Listed & { total: number }) {
  const [pages, setPages] = useKept("pages", 1);
  return <Pages {...list} pages={pages} more={() => setPages(pages + 1)} expected={total} />;
}

/** A group: its head, and its issues while it is open. */
function GroupRows({ group, by, at, filter, ...list }: Listed & { group: Group; by: IssueGroupBy; at: number }) {
  const { key, name, project, count, icon } = group;
  const [open, setOpen] = useKept(`open ${by} ${key}`, at < OPEN_FIRST);
  const [pages, setPages] = useKept(`pages ${by} ${key}`, 1);
  return (
    <tbody role="rowgroup">
      <tr role="row" class="group">
        <th role="rowheader" scope="rowgroup" colSpan={COLUMNS}>
          <span class="row">
            <button
              class="fold-group"
              type="button"
              aria-expanded={open}
              aria-label={`${[name, project].filter(Boolean).join(" of ")}, ${count}`}
              onClick={() => setOpen(!open)}
            >
              <Icon name="right" class="i-14" />
            </button>
            {icon}
            <b class="cut">
              <bdi>{name}</bdi>
            </b>
            {project && <bdi class="mid cut">{project}</bdi>}
            <span class="dim">{count.toLocaleString()}</span>
            <button
              class="btn quiet sq to-right"
              type="button"
              aria-label={`New issue in ${name}`}
              onClick={() => openNewIssue(draftIn(by, key))}
            >
              <Icon name="plus" class="i-14" />
            </button>
          </span>
        </th>
      </tr>
      {open && (
        <Pages
          {...list}
          filter={{ and: [filter, filterOfGroup(by, key)] }}
          pages={pages}
          more={() => setPages(pages + 1)}
          expected={count}
        />
      )}
    </tbody>
  );
}

/** The row that the keys were at when the page was left. */
export const keptCursor = (): string => String(keptHere().get("cursor") ?? "");
