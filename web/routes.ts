import type { FunctionComponent } from "preact";
import { lazyPage } from "./shell/lazy.tsx";

type Page = FunctionComponent<{ params: Record<string, string> }>;

const home = lazyPage(() => import("./pages/home.tsx"));
const connect = lazyPage(() => import("./pages/connect/connect.tsx"));
const sessions = lazyPage(() => import("./pages/sessions/sessions.tsx"));
const session = lazyPage(() => import("./pages/session/session.tsx"));
const inbox = lazyPage(() => import("./pages/inbox/inbox.tsx"));
const compare = lazyPage(() => import("./pages/compare/compare.tsx"));
const failures = lazyPage(() => import("./pages/failures/failures.tsx"));
const usage = lazyPage(() => import("./pages/usage/usage.tsx"));
const tools = lazyPage(() => import("./pages/tools/tools.tsx"));
const tool = lazyPage(() => import("./pages/tools/tool.tsx"));
const users = lazyPage(() => import("./pages/users/users.tsx"));
const user = lazyPage(() => import("./pages/users/user.tsx"));
const issues = lazyPage(() => import("./pages/issues/issues.tsx"));
const numbered = lazyPage(() => import("./pages/issues/numbered.tsx"));
const projects = lazyPage(() => import("./pages/projects/projects.tsx"));
const project = lazyPage(() => import("./pages/projects/project.tsx"));
const cycles = lazyPage(() => import("./pages/projects/cycles.tsx"));
const cycle = lazyPage(() => import("./pages/projects/cycle.tsx"));
const given = lazyPage(() => import("./pages/issues/given.tsx"));
const settings = lazyPage(() => import("./pages/settings/settings.tsx"));

/** Pages by address pattern. The router shows the first match. */
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
