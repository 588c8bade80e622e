import { Views, type ViewsQuery } from "../data/documents.ts";
import { useQuery } from "../data/query.ts";
import { place, setSearch } from "./router.ts";

/** A saved filter of issues. */
export type View = ViewsQuery["customViews"]["nodes"][number];

/** The address of a view. */
export const pathOfView = (id: string): string => `/issues?view=${id}`;

/** The views that one may see, in the order of their names. */
export function useViews() {
  const { data, ...rest } = useQuery(Views, {});
  const views = data && [...data.customViews.nodes].sort((a, b) => a.name.localeCompare(b.name));
  return { views, ...rest };
}

/** The view that the address names; empty for none. */
export const shownView = (): string => place.value.search.get("view") ?? "";

/** The saved views, where there is no rail. */
export function ViewChoice() {
  const { views = [] } = useViews();
  if (views.length === 0) return null;
  return (
    <select
      class="in only-thin"
      aria-label="Saved view"
      value={shownView()}
      onChange={(event) => setSearch({ view: event.currentTarget.value }, false)}
    >
      <option value="">All issues</option>
      {views.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
