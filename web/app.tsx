import { h } from "preact";
import { useEffect } from "preact/hooks";
import { session } from "./data/session.ts";
import Entrance, { NewOrganization } from "./pages/door/entrance.tsx";
import { NotFound } from "./pages/plain.tsx";
import { Toasts } from "./parts/toast.tsx";
import { routes } from "./routes.ts";
import { Help } from "./shell/help.tsx";
import { helpOpen, openHelp } from "./shell/help-state.ts";
import { useKeys } from "./shell/keys.ts";
import { Nav, TabBar } from "./shell/nav.tsx";
import { Palette } from "./shell/palette.tsx";
import { paletteOpen } from "./shell/palette-state.ts";
import { paramsOf, place } from "./shell/router.ts";

/** The door, or the app around the page that the address names. */
export function App() {
  const who = session.value;
  useEffect(() => {
    document.body.classList.toggle("app", Boolean(who?.organization));
  }, [who]);
  if (who === undefined) return null;
  if (who === null) return <Entrance />;
  if (!who.organization) return <NewOrganization />;
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
