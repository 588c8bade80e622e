import { useEffect, useState } from "preact/hooks";
import { enterOrganization, session } from "../../data/session.ts";
import { Empty, Problem } from "../../parts/states.tsx";
import { Page } from "../../shell/page.tsx";
import { navigate, place } from "../../shell/router.ts";
import { NotFound } from "../plain.tsx";
import { ProjectPage } from "../projects/project.tsx";
import { IssuePage } from "./issue.tsx";
import { LabelIssues, ProfileIssues, StateIssues, TeamIssues } from "./of.tsx";

/** Stands at the addresses that the API hands out: `/acme/issue/ENG-1/…`, `/acme/project/…` and so on. */
export default function Given({ params }: { params: Record<string, string> }) {
  const { urlKey = "", kind = "issue" } = params;
  const here = session.value?.organization?.urlKey;
  if (urlKey.toLowerCase() !== here) return <Elsewhere urlKey={urlKey} here={here ?? ""} />;
  const [first = "", second = ""] = place.value.path.split("/").slice(3).map(decodeURIComponent);
  if (kind === "issue") return <IssuePage key={first} identifier={first} />;
  if (kind === "project") return <ProjectPage key={first} slug={first} />;
  if (kind === "team") return <TeamIssues key={first} teamKey={first} />;
  if (kind === "profiles") return <ProfileIssues key={first} />;
  if (kind === "settings" && first === "labels") return <LabelIssues key={second} id={second} />;
  if (kind === "settings" && first === "states") return <StateIssues key={second} id={second} />;
  if (kind === "settings" && first === "webhooks") return <Webhook id={second} />;
  return <NotFound />;
}

function Webhook({ id }: { id: string }) {
  useEffect(() => navigate(`/settings/webhooks?webhook=${encodeURIComponent(id)}`, { replace: true }), [id]);
  return null;
}

/** The address is of an organization that this login does not act in. */
function Elsewhere({ urlKey, here }: { urlKey: string; here: string }) {
  const [error, setError] = useState("");
  const go = () =>
    enterOrganization("POST /api/auth/switch", { body: { organization: urlKey } }).catch((failure: Error) =>
      setError(failure.message),
    );
  return (
    <Page title="Another organization">
      <header class="head">
        <h1>Another organization</h1>
      </header>
      <Empty icon="lock" title={`This belongs to “${urlKey}”`}>
        <p>You are in “{here}”. If it was renamed, or you are a member of both, switch to it.</p>
        <Problem words={error} />
        <div class="row">
          <button class="btn pri" type="button" onClick={go}>
            Switch to {urlKey}
          </button>
          <a class="btn" href="/issues">
            To the issues of {here}
          </a>
        </div>
      </Empty>
    </Page>
  );
}
