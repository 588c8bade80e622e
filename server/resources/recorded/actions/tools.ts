/** Tools that change no file, by their names in lower case, after that of an MCP server. */
const READING = new Set(
  `read grep glob ls list notebookread webfetch websearch todowrite todoread task agent bashoutput killshell killbash taskoutput
  taskstop exitplanmode enterplanmode askuserquestion toolsearch skill update_plan list_dir view_image read_file
  read_many_files search_file_content grep_search list_directory web_fetch google_web_search web_search write_todos
  save_memory cli_help codebase_investigator ask_user enter_plan_mode exit_plan_mode todo_write view question
  taskcreate taskupdate taskget tasklist
  get_issue list_issues search_issues create_issue update_issue update_issues next_issue claim_issue finish_issue release_issue
  comment_on_issue add_comment link_issues unlink_issues list_inbox get_team list_teams list_projects get_session list_sessions
  search_sessions get_event list_failures create_issue_from_failure create_issue_from_session recorded_usage`.split(
    /\s+/,
  ),
);

/** True for a tool that surely changes no file. */
export const changesNothing = (name: string): boolean =>
  READING.has(name.toLowerCase().replace(/^(?:mcp__.*__|trackway[_-]|.*[./])/, ""));
