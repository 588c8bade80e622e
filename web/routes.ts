import type { FunctionComponent } from "preact";
import { lazy } from "./shell/lazy.tsx";

type Page = FunctionComponent<{ params: Record<string, string> }>;

const home = lazy(() => import("./pages/home.tsx"));
const connect = lazy(() => import("./pages/connect/connect.tsx"));
const sessions = lazy(() => import("./pages/sessions/sessions.tsx"));
const session = lazy(() => import("./pages/session/session.tsx"));
const inbox = lazy(() => import("./pages/inbox/inbox.tsx"));
const compare = lazy(() => import("./pages/compare/compare.tsx"));
const failures = lazy(() => import("./pages/failures/failures.tsx"));
const usage = lazy(() => import("./pages/usage/usage.tsx"));
const tools = lazy(() => import("./pages/tools/tools.tsx"));
const tool = lazy(() => import("./pages/tools/tool.tsx"));
const users = lazy(() => import("./pages/users/users.tsx"));
const user = lazy(() => import("./pages/users/user.tsx"));
const issues = lazy(() => import("./pages/issues/issues.tsx"));
const numbered = lazy(() => import("./pages/issues/numbered.tsx"));
const projects = lazy(() => import("./pages/projects/projects.tsx"));
const project = lazy(() => import("./pages/projects/project.tsx"));
const cycles = lazy(() => import("./pages/projects/cycles.tsx"));
const cycle = lazy(() => import("./pages/projects/cycle.tsx"));
const given = lazy(() => import("./pages/issues/given.tsx"));
const settings = lazy(() => import("./pages/settings/settings.tsx"));

/** The pages by address; the first that fits is shown. */
export const routes: readonly [pattern: string, page: Page][] = [
  ["/", home],
  ["/connect", connect],
  ["/sessions", sessions],
  ["/sessions/:id", session],
  ["/sessions/:id/:reading", session],
  ["/sessions/:id/events/:event", session],
  ["/sessions/:a/compare/:b", compare],
  ["/inbox", inbox],
  ["/inbox/:id", inbox],
  ["/failures", failures],
  ["/failures/:id", failures],
  ["/usage", usage],
  ["/tools", tools],
  ["/tools/:name", tool],
  ["/users", users],
  ["/users/:id", user],
  ["/issues", issues],
  ["/issues/new", issues],
  ["/issues/:identifier", numbered],
  ["/projects", projects],
  ["/projects/:id", project],
  ["/cycles", cycles],
  ["/cycles/:id", cycle],
  ["/settings", settings],
  ["/settings/:part", settings],
  ["/:urlKey/:kind/*", given],
];
