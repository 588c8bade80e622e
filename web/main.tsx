import { render } from "preact";
import { App } from "./app.tsx";
import { clearQueryCache } from "./data/query.ts";
import { startRealtime } from "./data/realtime.ts";
import { currentLogin, resumeLogin } from "./data/session.ts";
import { installBidiMarks } from "./parts/texts/bidi.ts";
import { clearHistoryState } from "./shell/kept.ts";
import { startKeys } from "./shell/keys.ts";
import { startPaletteKey } from "./shell/palette-state.ts";
import { startRouter } from "./shell/router.ts";

installBidiMarks();
startRouter();
startKeys();
startPaletteKey();
currentLogin.subscribe(clearQueryCache);
currentLogin.subscribe(clearHistoryState);
render(<App />, document.body);
// The page stays empty until the server responds.
void resumeLogin().then(startRealtime);
