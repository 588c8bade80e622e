import { getIssue } from "../tools/issues/get-issue.ts";
import { linkIssues, unlinkIssues } from "../tools/issues/link-issues.ts";
import { listIssues } from "../tools/issues/list-issues.ts";
import { updateIssues } from "../tools/issues/update-issues.ts";
import { claimIssue, finishIssue, nextIssue, releaseIssue } from "../tools/issues/work.ts";
import { createComment, createIssue, similarIssues, updateIssue } from "../tools/issues/write-issue.ts";
import { listCycles, saveCycle } from "../tools/plan/cycles.ts";
import { planIssues } from "../tools/plan/plan-issues.ts";
import { saveLabel, saveMilestone, saveProject } from "../tools/plan/save.ts";
import { captureTurn } from "../tools/recorded/capture-turn.ts";
import { createIssueFromFailure, createIssueFromSession, listFailures } from "../tools/recorded/failures.ts";
import { getEvent, getSession } from "../tools/recorded/get-session.ts";
import { listInbox } from "../tools/recorded/list-inbox.ts";
import { listSessions } from "../tools/recorded/list-sessions.ts";
import { recordedUsage } from "../tools/recorded/recorded-usage.ts";
import { searchSessions } from "../tools/recorded/search-sessions.ts";
import { getTeam, listProjects, listTeams, whoami } from "../tools/teams.ts";
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

/** All tools by name, in the order in which clients show the tools. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(ALL.map((tool) => [tool.name, tool]));
