import { render } from "preact";
import { App } from "./app.tsx";
import { clearQueryCache } from "./data/query.ts";
import { startRealtime } from "./data/realtime.ts";
import { currentLogin, resumeLogin } from "./data/session.ts";
import { installBidiControlMarks } from "./parts/texts/bidi.ts";
import { clearHistoryState } from "./shell/kept.ts";
import { startKeyboardShortcuts } from "./shell/keys.ts";
import { startPaletteShortcut } from "./shell/palette-state.ts";
import { startRouter } from "./shell/router.ts";

installBidiControlMarks();
startRouter();
startKeyboardShortcuts();
startPaletteShortcut();
currentLogin.subscribe(clearQueryCache);
currentLogin.subscribe(clearHistoryState);
render(<App />, document.body);
// The page stays empty until the server responds.
void resumeLogin().then(startRealtime);
