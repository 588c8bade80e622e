import { useChanges } from "../data/changes.ts";
import { Icon } from "../parts/icon.tsx";
import { Count } from "./rail-count.tsx";
import { pathOfView, shownView, useViews } from "./saved-views.tsx";
import { useViewCounts } from "./view-counts.ts";

/** The saved views with their counts, in the rail beside the issues. */
export default function SavedViews() {
  const { views = [], reload } = useViews();
  useChanges(({ type }) => type === "CustomView", reload, "views");
  const counts = useViewCounts(views);
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
                <span class="row few dim">
                  <Icon name="lock" class="i-14" />
                  <span class="sr">yours alone</span>
                </span>
              )}
              <Count of={[counts.get(id) ?? 0]} />
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
