import { h } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { currentLogin } from "./data/session.ts";
import { NotFoundPage } from "./pages/plain.tsx";
import { Toasts } from "./parts/toast.tsx";
import { routes } from "./routes.ts";
import { isHelpOpen, openHelp } from "./shell/help-state.ts";
import { useKeyboardShortcuts } from "./shell/keys.ts";
import { lazyComponent, lazyPage } from "./shell/lazy.tsx";
import { Sidebar, TabBar } from "./shell/nav.tsx";
import { newIssueDraft } from "./shell/new-issue-state.ts";
import { CommandPalette } from "./shell/palette.tsx";
import { isPaletteOpen } from "./shell/palette-state.ts";
import { appLocation, matchPath } from "./shell/router.ts";

const Entrance = lazyPage(() => import("./pages/sign-in/entrance.tsx"));
const NewOrganization = lazyPage(async () => ({
  default: (await import("./pages/sign-in/entrance.tsx")).NewOrganizationPage,
}));
const Help = lazyComponent(() => import("./shell/help.tsx"));
const NewIssue = lazyComponent(() => import("./pages/new-issue/new-issue.tsx"));
const Consent = lazyPage(() => import("./pages/sign-in/consent.tsx"));

/** Path of the OAuth consent page. Apps send users here to decide whether the app may act for them. */
const CONSENT = "/oauth/authorize";

/** Renders the sign-in page, the consent page, or the app frame around the page of the current address. */
export function App() {
  const who = currentLogin.value;
  const { path } = appLocation.value;
  const asked = path === CONSENT;
  // Runs before the first paint, because the class changes the layout.
  useLayoutEffect(() => {
    document.body.classList.toggle("app", Boolean(who?.organization) && !asked);
    // The sidebar is narrow beside a session, which needs the width.
    document.body.classList.toggle("slim", /^\/sessions\/./.test(path));
  }, [who, path, asked]);
  const reason = asked ? document.body.dataset["refusal"] : undefined;
  if (reason !== undefined) return <Consent refusal={reason} />;
  if (who === undefined) return null;
  if (who === null) return <Entrance asked={asked} />;
  if (!who.organization) return <NewOrganization />;
  // The key mounts the consent page anew for another user.
  if (asked) return <Consent key={who.user.id} />;
  // The key mounts the frame anew for another organization, so that no state of the previous organization remains.
  return <Frame key={who.organization.id} />;
}

function Frame() {
  useKeyboardShortcuts({ "?": openHelp });
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Sidebar />
      <Route />
      <TabBar />
      {isPaletteOpen.value && <CommandPalette />}
      {isHelpOpen.value && <Help />}
      {newIssueDraft.value && <NewIssue />}
      <Toasts />
    </>
  );
}

function Route() {
  const { path } = appLocation.value;
  for (const [pattern, page] of routes) {
    const params = matchPath(pattern, path);
    if (params) return h(page, { params });
  }
  return <NotFoundPage />;
}
