import type { Agent } from "../agent.ts";
import { cursor as hooks } from "./hooks.ts";

export const cursor: Agent = {
  name: "cursor",
  hooks,
};
