import { type ComponentChildren, Fragment } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useHistoryState } from "../../shell/kept.ts";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { navigate } from "../../shell/router.ts";
import { Icon } from "../icon.tsx";
import { useKeepRowInView } from "./in-view.ts";

/**
 * Attributes of the link in a row. `tabIndex` makes Tab stop at the link of only one row, and `data-row` lets the key
 * handlers find the link.
 */
export interface RowLinkAttributes {
  "data-row": number;
  tabIndex: number;
}

/** Column: the head, and the content of a row's cell. */
export interface Column<Row> {
  name: string;
  /**
   * Classes of the head and the cells. On a phone, classes such as `l2`, `r1` and `wide` place the cell in the row's
   * card.
   */
  class?: string;
  /** Label before the value on a phone. */
  label?: string;
  /** True if the name of the column is hidden and only screen readers read the name. */
  quiet?: boolean;
  /** Returns the value that the table sorts by. Without this function the column is not sortable. */
  sort?: (row: Row) => number | string;
  cell: (row: Row, link: RowLinkAttributes) => ComponentChildren;
  /** Content of the column in the row of totals at the end of the table. */
  total?: ComponentChildren;
}

interface TableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** Returns the URL that Enter opens for a row. Without this function, the user cannot choose rows. */
  href?: (row: Row) => string;
  class?: string;
  /** Column that initially sorts the rows. */
  sorted?: string;
  /**
   * Returns the group of a row. The name of the group appears above the group's first row. Rows of one group must be
   * adjacent.
   */
  groupOf?: (row: Row) => string;
  /**
   * Chosen row, if the page stores the choice, for example to show details beside the table. Without `chosen`, the
   * table stores the choice.
   */
  chosen?: Chosen;
}

/** Key of the chosen row (empty if no row is chosen), and the function that changes the choice. */
interface Chosen {
  key: string;
  choose: (key: string) => void;
}

/** Table with sortable columns and keys for moving between rows. On a phone each row is a card. */
export function DataTable<Row>({
  label,
  rows,
  columns,
  keyOf,
  href,
  class: more = "",
  sorted = "",
  groupOf,
  chosen,
}: TableProps<Row>) {
  const [by, setBy] = useHistoryState(`sort of ${label}`, { name: sorted, descending: true });
  const order = columns.find(({ name }) => name === by.name)?.sort;
  const shown = order ? [...rows].sort((a, b) => compare(order(a), order(b)) * (by.descending ? -1 : 1)) : rows;
  const { body, selected, select } = useRows(label, shown.map(keyOf), (at) => href?.(shown[at] as Row), chosen);
  const sortBy = (name: string) => setBy({ name, descending: by.name === name ? !by.descending : true });
  return (
    <table class={`tbl cards ${more}`} role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <Head key={column.name} column={column} by={by} sortBy={sortBy} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" ref={body}>
        {shown.map((row, at) => {
          const group = groupOf?.(row);
          const before = shown[at - 1];
          return (
            <Fragment key={keyOf(row)}>
              {groupOf && group && (!before || groupOf(before) !== group) && (
                <GroupHead
                  name={group}
                  columns={columns.length}
                  count={shown.filter((one) => groupOf(one) === group).length}
                />
              )}
              <tr
                role="row"
                aria-selected={href ? at === selected : undefined}
                onClick={() => href && select(keyOf(row))}
              >
                {columns.map(({ name, class: place = "", label, cell }) => (
                  <td key={name} role="cell" class={place} data-l={label}>
                    {cell(row, { "data-row": at, tabIndex: at === Math.max(0, selected) ? 0 : -1 })}
                  </td>
                ))}
              </tr>
            </Fragment>
          );
        })}
      </tbody>
      {columns.some(({ total }) => total !== undefined) && (
        <tfoot role="rowgroup">
          <tr role="row">
            {columns.map(({ name, class: place = "", label: before, total }) => (
              <td key={name} role="cell" class={place} data-l={before}>
                {total}
              </td>
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  );
}

/** Heading of a group: name and number of rows. */
const GroupHead = ({ name, columns, count }: { name: string; columns: number; count: number }) => (
  <tr role="row" class="group-head">
    <th role="rowheader" scope="rowgroup" colSpan={columns}>
      {name} <span class="dim">{count}</span>
    </th>
  </tr>
);

const compare = (a: number | string, b: number | string): number =>
  typeof a === "string" ? a.localeCompare(String(b)) : a - Number(b);

interface HeadProps<Row> {
  column: Column<Row>;
  by: { name: string; descending: boolean };
  sortBy: (name: string) => void;
}

function Head<Row>({ column: { name, class: place = "", quiet, sort }, by, sortBy }: HeadProps<Row>) {
  const here = by.name === name;
  const direction = here ? (by.descending ? "descending" : "ascending") : "none";
  return (
    <th role="columnheader" class={place} aria-sort={sort ? direction : undefined}>
      {sort ? (
        <button type="button" onClick={() => sortBy(name)}>
          {name}
          {here && <Icon name={by.descending ? "dn" : "up"} class="i-14" />}
        </button>
      ) : (
        <span class={quiet ? "sr" : undefined}>{name}</span>
      )}
    </th>
  );
}

/** Handles J, K, the up and down arrows, Enter and Escape in a table whose rows have a URL. */
function useRows(
  label: string,
  keys: readonly string[],
  hrefOf: (at: number) => string | undefined,
  chosen: Chosen | undefined,
) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [kept, keep] = useHistoryState(`row of ${label}`, "");
  const { key, choose: select } = chosen ?? { key: kept, choose: keep };
  const selected = key === "" ? -1 : keys.indexOf(key);
  const walks = keys.length > 0 && hrefOf(0) !== undefined;
  const move = (by: number) => select(keys[Math.min(keys.length - 1, Math.max(0, selected + by))] ?? "");
  const open = () => {
    const href = selected >= 0 && hrefOf(selected);
    if (href) navigate(href);
  };
  useKeyboardShortcuts(
    walks
      ? {
          j: () => move(1),
          ArrowDown: () => move(1),
          k: () => move(-1),
          ArrowUp: () => move(-1),
          Enter: open,
          Escape: () => select(""),
        }
      : {},
  );
  useKeepRowInView({ body, id: key, at: selected });
  // Moves the focus before the next key press, because Enter opens the focused row.
  useLayoutEffect(() => {
    const link = selected >= 0 && body.current?.querySelector<HTMLElement>(`[data-row="${selected}"]`);
    if (link) link.focus({ preventScroll: true });
  }, [key]);
  return { body, selected, select };
}
