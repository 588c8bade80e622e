import type { ComponentType } from "preact";
import { lazy } from "./shell/lazy.tsx";

type Page = ComponentType<{ params: Record<string, string> }>;

const home = lazy(() => import("./pages/home.tsx"));
const connect = lazy(() => import("./pages/connect/connect.tsx"));
const sessions = lazy(() => import("./pages/sessions/sessions.tsx"));
const session = lazy(() => import("./pages/session/session.tsx"));
const soon = lazy(() => import("./pages/soon.tsx"));

/** Which page stands at which address; the first that fits is shown. */
export const routes: readonly [pattern: string, page: Page][] = [
  ["/", home],
  ["/connect", connect],
  ["/sessions", sessions],
  ["/sessions/:id", session],
  ["/sessions/:id/:reading", session],
  ["/sessions/:id/events/:event", session],
  ["/tools", soon],
  ["/tools/:name", soon],
  ["/users", soon],
  ["/users/:id", soon],
  ["/issues", soon],
  ["/settings", soon],
  ["/settings/:part", soon],
  ["/:urlKey/issue/:identifier", soon],
  ["/:urlKey/issue/:identifier/:slug", soon],
  ["/:urlKey/:kind/*", soon],
];
