import { Views, type ViewsQuery } from "../data/documents.ts";
import { useQuery } from "../data/query.ts";
import { appLocation, setSearchParameters } from "./router.ts";

/** Saved filter of issues. */
export type SavedView = ViewsQuery["customViews"]["nodes"][number];

/** Returns the address of a view. */
export const buildSavedViewPath = (id: string): string => `/issues?view=${id}`;

/** Reads the views that the user may see, sorted by name. */
export function useSavedViews() {
  const { data, ...rest } = useQuery(Views, {});
  const views = data && [...data.customViews.nodes].sort((a, b) => a.name.localeCompare(b.name));
  return { views, ...rest };
}

/** Returns the id of the view in the URL; empty if the URL names no view. */
export const readSavedViewId = (): string => appLocation.value.search.get("view") ?? "";

/** Selection field for a saved view, for screens without a sidebar. */
export function SavedViewSelect() {
  const { views = [] } = useSavedViews();
  if (views.length === 0) return null;
  return (
    <select
      class="in only-thin"
      aria-label="Saved view"
      value={readSavedViewId()}
      onChange={(event) => setSearchParameters({ view: event.currentTarget.value }, false)}
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
