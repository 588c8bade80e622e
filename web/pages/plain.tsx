import { Missing } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";

/** Stands where nothing is. */
export const NotFound = () => (
  <Page title="Not found">
    <Missing
      level="h1"
      title="Nothing is at this address"
      words="It may have been removed, or the address may be mistyped."
      to={{ href: "/sessions", name: "To the sessions" }}
    />
  </Page>
);
