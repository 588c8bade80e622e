import { Empty } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";

/** Stands where nothing is. */
export const NotFound = () => (
  <Page title="Not found">
    <Empty icon="search" title="Nothing is at this address">
      <p>It may have been removed, or the address may be mistyped.</p>
      <div class="row">
        <a class="btn" href="/sessions">
          To the sessions
        </a>
      </div>
    </Empty>
  </Page>
);
