import { builtConcurrently } from "./concurrently.ts";
import type { Migration } from "./index.ts";

/** Events of capture-* that no longer count as tool calls: their type names a model or an agent. */
const NO_TOOL = `recorded_event where kind is null and parent_id is not null
  and lower(primitive_type) in ('llm', 'model', 'chat_model', 'generation', 'chat', 'completion', 'text_completion',
    'generate_content', 'inference', 'agent', 'subagent', 'sub_agent', 'sub-agent', 'invoke_agent')`;

/** Each failure keeps its message. Sessions and hours that counted models and agents as tools are counted again. */
export const failureMessages: Migration = {
  id: "0047-failure-messages",
  statements: [
    // error_message keeps what older servers wrote there, and nobody reads it.
    "alter table recorded_event add column if not exists message text",
    // A job finds those that an older server stored; no other event stands in it.
    ...builtConcurrently(
      "recorded_event_unread_failure",
      "recorded_event (organization_id, event_id) where not success and message is null",
    ),
    `update recorded_session s set events = null
      from (select distinct organization_id, session_id from ${NO_TOOL}) e
      where s.organization_id = e.organization_id and s.session_id = e.session_id and s.events is not null`,
    `insert into recorded_mark (organization_id, hour, mark_id)
      select distinct organization_id, date_trunc('hour', timestamp, 'UTC'), '00000000-0000-4000-8000-000000000047'::uuid
      from ${NO_TOOL} on conflict do nothing`,
  ],
};
