import { useChanges } from "../data/changes.ts";
import { Views, type ViewsQuery } from "../data/documents.ts";
import { useQuery } from "../data/query.ts";
import { Icon } from "../parts/icon.tsx";
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

const shownView = (): string => place.value.search.get("view") ?? "";

/** The saved views, in the rail beside the issues. */
export function SavedViews() {
  const { views = [], reload } = useViews();
  useChanges(({ type }) => type === "CustomView", reload, "views");
  if (views.length === 0) return null;
  return (
    <div class="views">
      <h2 id="saved-views">Saved views</h2>
      <ul aria-labelledby="saved-views">
        {views.map(({ id, name, shared }) => (
          <li key={id}>
            <a href={pathOfView(id)} title={name} aria-current={shownView() === id ? "page" : undefined}>
              <bdi class="cut">{name}</bdi>
              {!shared && (
                <span class="n">
                  <Icon name="lock" class="i-14" />
                  <span class="sr">yours alone</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The same where there is no rail. */
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
