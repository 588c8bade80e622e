import { Empty } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";

/** Stands where nothing is. */
export const NotFound = () => (
  <Page title="Not found">
    <Empty icon="search" title="Nothing is at this address" to={{ href: "/sessions", text: "To the sessions" }}>
      <p>It may have been removed, or the address may be mistyped.</p>
    </Empty>
  </Page>
);
