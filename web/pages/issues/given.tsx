import { useEffect, useState } from "preact/hooks";
import { currentLogin, switchOrganization } from "../../data/session.ts";
import { EmptyState, ErrorNote } from "../../parts/states.tsx";
import { Page } from "../../shell/page.tsx";
import { appLocation, navigate } from "../../shell/router.ts";
import { NotFoundPage } from "../plain.tsx";
import { ProjectPage } from "../projects/project.tsx";
import { IssuePage } from "./issue.tsx";
import { LabelIssues, ProfileIssues, StateIssues, TeamIssues } from "./of.tsx";

/** Page for the URLs that the API returns: `/acme/issue/ENG-1/…`, `/acme/project/…` and others. */
export default function ApiUrlPage({ params }: { params: Record<string, string> }) {
  const { urlKey = "", kind = "issue" } = params;
  const here = currentLogin.value?.organization?.urlKey;
  if (urlKey.toLowerCase() !== here) return <Elsewhere urlKey={urlKey} here={here ?? ""} />;
  const [first = "", second = ""] = appLocation.value.path.split("/").slice(3).map(decodeURIComponent);
  if (kind === "issue") return <IssuePage key={first} identifier={first} />;
  if (kind === "project") return <ProjectPage key={first} slug={first} />;
  if (kind === "team") return <TeamIssues key={first} teamKey={first} />;
  if (kind === "profiles") return <ProfileIssues key={first} />;
  if (kind === "settings" && first === "labels") return <LabelIssues key={second} id={second} />;
  if (kind === "settings" && first === "states") return <StateIssues key={second} id={second} />;
  if (kind === "settings" && first === "webhooks") return <Webhook id={second} />;
  return <NotFoundPage />;
}

function Webhook({ id }: { id: string }) {
  useEffect(() => navigate(`/settings/webhooks?webhook=${encodeURIComponent(id)}`, { replace: true }), [id]);
  return null;
}

/** Page for a URL of another organization than the organization that the user is signed in to. */
function Elsewhere({ urlKey, here }: { urlKey: string; here: string }) {
  const [error, setError] = useState("");
  const go = () =>
    switchOrganization("POST /api/auth/switch", { body: { organization: urlKey } }).catch((failure: Error) =>
      setError(failure.message),
    );
  return (
    <Page title="Another organization">
      <header class="head">
        <h1>Another organization</h1>
      </header>
      <EmptyState icon="lock" title={`This page belongs to the organization “${urlKey}”`}>
        <p>
          You are signed in to “{here}”. If you are also a member of “{urlKey}”, or if your organization was renamed,
          switch to “{urlKey}”.
        </p>
        <ErrorNote words={error} />
        <div class="row">
          <button class="btn pri" type="button" onClick={go}>
            Switch to {urlKey}
          </button>
          <a class="btn" href="/issues">
            Go to the issues of {here}
          </a>
        </div>
      </EmptyState>
    </Page>
  );
}
