import { render } from "preact";
import { App } from "./app.tsx";
import { forgetQueries } from "./data/query.ts";
import { startRealtime } from "./data/realtime.ts";
import { resume, session } from "./data/session.ts";
import { startBidiMarks } from "./parts/texts/bidi.ts";
import { forgetKept } from "./shell/kept.ts";
import { startKeys } from "./shell/keys.ts";
import { startPalette } from "./shell/palette-state.ts";
import { startRouter } from "./shell/router.ts";

startBidiMarks();
startRouter();
startKeys();
startPalette();
session.subscribe(forgetQueries);
session.subscribe(forgetKept);
render(<App />, document.body);
// A server that does not answer yet is asked again; the page stands still meanwhile.
const begin = (): Promise<void> =>
  resume().catch(() => new Promise((again) => setTimeout(() => again(begin()), 1_000)));
void begin().then(startRealtime);
