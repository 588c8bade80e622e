import type { Agent } from "../agent.ts";
import { cursorHooks as hooks } from "./hooks.ts";

export const cursor: Agent = {
  name: "cursor",
  hooks,
  tools: {
    run_terminal_cmd: "run",
    edit_file: "edit",
    search_replace: "edit",
    delete_file: "delete",
    delete: "delete",
  },
};
