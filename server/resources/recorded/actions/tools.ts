/** Tools of agents that change no file, by their names in lower case. */
const READING = new Set(
  `read grep glob ls list notebookread webfetch websearch todowrite todoread task agent bashoutput killshell killbash taskoutput
  taskstop exitplanmode enterplanmode askuserquestion toolsearch skill update_plan list_dir view_image read_file
  read_many_files search_file_content grep_search list_directory web_fetch google_web_search web_search write_todos
  save_memory cli_help codebase_investigator ask_user enter_plan_mode exit_plan_mode todo_write view question
  taskcreate taskupdate taskget tasklist`.split(/\s+/),
);

/** The tools of Trackway's own MCP server: all of them reach the server, and no file. */
const TRACKWAY = new Set(
  `list_teams get_team list_issues get_issue create_issue update_issue create_comment list_projects whoami list_sessions
  search_sessions get_session get_event capture_turn list_inbox next_issue claim_issue finish_issue release_issue link_issues
  similar_issues unlink_issues plan_issues list_cycles save_cycle save_label save_milestone save_project update_issues
  create_issue_from_session list_failures create_issue_from_failure recorded_usage`.split(/\s+/),
);

/** The server's name before a tool's own, as Claude Code, Gemini CLI, opencode and others write it. */
const SERVER = /^(?:mcp__.*__|(?:mcp_)?trackway[_-]|.*[./])/;

/** True for a tool that surely changes no file. */
export function changesNothing(name: string): boolean {
  const own = name.toLowerCase().replace(SERVER, "");
  return READING.has(own) || TRACKWAY.has(own);
}
