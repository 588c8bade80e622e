import { captureTurn } from "../tools/capture-turn.ts";
import { claimIssue } from "../tools/claim-issue.ts";
import { createComment } from "../tools/create-comment.ts";
import { createIssue } from "../tools/create-issue.ts";
import { createIssueFromFailure } from "../tools/create-issue-from-failure.ts";
import { createIssueFromSession } from "../tools/create-issue-from-session.ts";
import { finishIssue } from "../tools/finish-issue.ts";
import { getEvent } from "../tools/get-event.ts";
import { getIssue } from "../tools/get-issue.ts";
import { getSession } from "../tools/get-session.ts";
import { getTeam } from "../tools/get-team.ts";
import { linkIssues } from "../tools/link-issues.ts";
import { listFailures } from "../tools/list-failures.ts";
import { listIssues } from "../tools/list-issues.ts";
import { listProjects } from "../tools/list-projects.ts";
import { listSessions } from "../tools/list-sessions.ts";
import { listTeams } from "../tools/list-teams.ts";
import { nextIssue } from "../tools/next-issue.ts";
import { releaseIssue } from "../tools/release-issue.ts";
import { searchSessions } from "../tools/search-sessions.ts";
import { updateIssue } from "../tools/update-issue.ts";
import { updateIssues } from "../tools/update-issues.ts";
import { whoami } from "../tools/whoami.ts";
import type { Tool } from "./define-tool.ts";

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
  searchSessions,
  getSession,
  getEvent,
  captureTurn,
  nextIssue,
  claimIssue,
  finishIssue,
  releaseIssue,
  linkIssues,
  updateIssues,
  createIssueFromSession,
  listFailures,
  createIssueFromFailure,
];

/** The one table of tools, by name, in the order clients show them. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(ALL.map((tool) => [tool.name, tool]));
