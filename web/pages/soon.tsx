import { Empty } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";

/** Stands at an address whose page is not built yet. */
export default function Soon() {
  return (
    <Page title="Not here yet">
      <Empty icon="clock" title="This page is not built yet">
        <p>What belongs here can be had over the API.</p>
        <div class="row">
          <a class="btn" href="/graphql">
            GraphQL
          </a>
          <a class="btn" href="/api/docs">
            REST
          </a>
        </div>
      </Empty>
    </Page>
  );
}
