import { h } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { session } from "./data/session.ts";
import { NotFound } from "./pages/plain.tsx";
import { Toasts } from "./parts/toast.tsx";
import { routes } from "./routes.ts";
import { helpOpen, openHelp } from "./shell/help-state.ts";
import { useKeys } from "./shell/keys.ts";
import { lazy, lazyPart } from "./shell/lazy.tsx";
import { Nav, TabBar } from "./shell/nav.tsx";
import { newIssueOpen } from "./shell/new-issue-state.ts";
import { Palette } from "./shell/palette.tsx";
import { paletteOpen } from "./shell/palette-state.ts";
import { paramsOf, place } from "./shell/router.ts";

const Entrance = lazy(() => import("./pages/sign-in/entrance.tsx"));
const NewOrganization = lazy(async () => ({ default: (await import("./pages/sign-in/entrance.tsx")).NewOrganization }));
const Help = lazyPart(() => import("./shell/help.tsx"));
const NewIssue = lazyPart(() => import("./pages/new-issue/new-issue.tsx"));
const Consent = lazy(() => import("./pages/sign-in/consent.tsx"));

/** Address to which programs send people, who decide whether the program may act for them. */
const CONSENT = "/oauth/authorize";

/** The way in, or the app around the page that the address names. */
export function App() {
  const who = session.value;
  const { path } = place.value;
  const asked = path === CONSENT;
  // Before the page is painted, which would move otherwise.
  useLayoutEffect(() => {
    document.body.classList.toggle("app", Boolean(who?.organization) && !asked);
    // The rail is narrow beside a session, which needs the room.
    document.body.classList.toggle("slim", /^\/sessions\/./.test(path));
  }, [who, path, asked]);
  const reason = asked ? document.body.dataset["refusal"] : undefined;
  if (reason !== undefined) return <Consent refusal={reason} />;
  if (who === undefined) return null;
  if (who === null) return <Entrance asked={asked} />;
  if (!who.organization) return <NewOrganization />;
  // Another person is asked anew.
  if (asked) return <Consent key={who.user.id} />;
  // Another organization is another world: nothing of the page before is kept.
  return <Frame key={who.organization.id} />;
}

function Frame() {
  useKeys({ "?": openHelp });
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Nav />
      <Route />
      <TabBar />
      {paletteOpen.value && <Palette />}
      {helpOpen.value && <Help />}
      {newIssueOpen.value && <NewIssue />}
      <Toasts />
    </>
  );
}

function Route() {
  const { path } = place.value;
  for (const [pattern, page] of routes) {
    const params = paramsOf(pattern, path);
    if (params) return h(page, { params });
  }
  return <NotFound />;
}
