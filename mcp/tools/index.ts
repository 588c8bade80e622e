import type { Tool } from "../tool.ts";
import { captureTurn } from "./capture-turn.ts";
import { createComment } from "./create-comment.ts";
import { createIssue } from "./create-issue.ts";
import { createIssueFromSession } from "./create-issue-from-session.ts";
import { getEvent } from "./get-event.ts";
import { getIssue } from "./get-issue.ts";
import { getSession } from "./get-session.ts";
import { getTeam } from "./get-team.ts";
import { listIssues } from "./list-issues.ts";
import { listProjects } from "./list-projects.ts";
import { listSessions } from "./list-sessions.ts";
import { listTeams } from "./list-teams.ts";
import { updateIssue } from "./update-issue.ts";
import { updateIssues } from "./update-issues.ts";
import { whoami } from "./whoami.ts";

const ALL: Tool[] = [
  listTeams,
  getTeam,
  listIssues,
  getIssue,
  createIssue,
  updateIssue,
  createComment,
  listProjects,
  whoami,
  listSessions,
  getSession,
  getEvent,
  captureTurn,
  updateIssues,
  createIssueFromSession,
];

/** The one table of tools, by name, in the order clients show them. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(ALL.map((tool) => [tool.name, tool]));
