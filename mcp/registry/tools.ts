import { listInbox } from "../tools/inbox/list-inbox.ts";
import { claimIssue } from "../tools/issues/claim-issue.ts";
import { createComment } from "../tools/issues/create-comment.ts";
import { createIssue } from "../tools/issues/create-issue.ts";
import { finishIssue } from "../tools/issues/finish-issue.ts";
import { getIssue } from "../tools/issues/get-issue.ts";
import { linkIssues } from "../tools/issues/link-issues.ts";
import { listIssues } from "../tools/issues/list-issues.ts";
import { nextIssue } from "../tools/issues/next-issue.ts";
import { releaseIssue } from "../tools/issues/release-issue.ts";
import { similarIssues } from "../tools/issues/similar-issues.ts";
import { unlinkIssues } from "../tools/issues/unlink-issues.ts";
import { updateIssue } from "../tools/issues/update-issue.ts";
import { updateIssues } from "../tools/issues/update-issues.ts";
import { listCycles } from "../tools/plan/list-cycles.ts";
import { planIssues } from "../tools/plan/plan-issues.ts";
import { saveCycle } from "../tools/plan/save-cycle.ts";
import { saveLabel } from "../tools/plan/save-label.ts";
import { saveMilestone } from "../tools/plan/save-milestone.ts";
import { saveProject } from "../tools/plan/save-project.ts";
import { captureTurn } from "../tools/recorded/capture-turn.ts";
import { createIssueFromFailure } from "../tools/recorded/create-issue-from-failure.ts";
import { createIssueFromSession } from "../tools/recorded/create-issue-from-session.ts";
import { getEvent } from "../tools/recorded/get-event.ts";
import { getSession } from "../tools/recorded/get-session.ts";
import { listFailures } from "../tools/recorded/list-failures.ts";
import { listSessions } from "../tools/recorded/list-sessions.ts";
import { recordedUsage } from "../tools/recorded/recorded-usage.ts";
import { searchSessions } from "../tools/recorded/search-sessions.ts";
import { getTeam } from "../tools/teams/get-team.ts";
import { listProjects } from "../tools/teams/list-projects.ts";
import { listTeams } from "../tools/teams/list-teams.ts";
import { whoami } from "../tools/teams/whoami.ts";
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
  listInbox,
  nextIssue,
  claimIssue,
  finishIssue,
  releaseIssue,
  linkIssues,
  similarIssues,
  unlinkIssues,
  planIssues,
  listCycles,
  saveCycle,
  saveLabel,
  saveMilestone,
  saveProject,
  updateIssues,
  createIssueFromSession,
  listFailures,
  createIssueFromFailure,
  recordedUsage,
];

/** The one table of tools, by name, in the order clients show them. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(ALL.map((tool) => [tool.name, tool]));
