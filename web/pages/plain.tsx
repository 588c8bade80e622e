import { NotFoundMessage } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";

export const NotFoundPage = () => (
  <Page title="Not found">
    <NotFoundMessage
      level="h1"
      title="Page not found"
      words="The page may have been removed, or the address may be mistyped."
      to={{ href: "/sessions", name: "Go to sessions" }}
    />
  </Page>
);
