import { useCallback, useRef, useState } from "preact/hooks";
import { UpdateIssue } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import { Popover } from "../../../parts/choose/popover.tsx";
import { TrackerIcon } from "../../../parts/drawings.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { useRequest } from "../../../parts/sending.ts";
import { ErrorNote } from "../../../parts/states.tsx";
import { CopyButton } from "../../../parts/texts/copy.tsx";
import { useKeyboardShortcuts } from "../../../shell/keys.ts";
import { useFieldOptions } from "../choices.tsx";
import type { IssueData } from "../issue.tsx";
import { isClosedStateType } from "../marks.tsx";
import { buildIssuePrompt } from "./prompt.ts";

/** Button that hands an issue to an agent: delegate the issue, or start an agent with a command. */
export function HandOverButton({ issue, reload }: { issue: IssueData; reload: () => Promise<void> }) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const over = isClosedStateType(issue.state.type) ? "The issue is closed. Reopen the issue first." : undefined;
  useKeyboardShortcuts({ h: () => over === undefined && setOpen(true) });
  return (
    <>
      <button
        class="btn"
        type="button"
        ref={button}
        aria-haspopup="dialog"
        aria-expanded={open}
        disabled={over !== undefined}
        title={over}
        onClick={() => setOpen(!open)}
      >
        <TrackerIcon name="hand" />
        <span class="only-wide">Hand to agent</span>
        <span class="sr only-thin">Hand to agent</span>
        <kbd class="only-wide" aria-hidden="true">
          H
        </kbd>
      </button>
      {open && button.current && (
        <Popover anchor={button.current} label="Hand to agent" close={close} atEnd class="hand-over">
          <Ways issue={issue} reload={reload} close={close} />
        </Popover>
      )}
    </>
  );
}

/** Agents that `trackway run` can start. */
const RUNNABLE = ["claude-code", "codex", "opencode"];

function Ways({ issue, reload, close }: { issue: IssueData; reload: () => Promise<void>; close: () => void }) {
  const { agents, read } = useFieldOptions(issue.team.id);
  const { busy, error, send } = useRequest();
  const delegate = (delegateId: string) =>
    send(
      requestGraphQL(UpdateIssue, { id: issue.id, input: { delegateId: delegateId || null } })
        .then(reload)
        .then(close),
    );
  const holder = issue.lease?.holder;
  const named = agents.filter(({ id }) => id !== "");
  const agent = RUNNABLE.find((name) => name === issue.delegate?.name) ?? RUNNABLE[0];
  return (
    <>
      <h2 class="row between">
        <span>Delegate to</span>
        <span>{issue.assignee ? `${issue.assignee.name} remains the assignee` : "No assignee"}</span>
      </h2>
      {named.map(({ id, name, icon }) => (
        <button
          key={id}
          class="mi two"
          type="button"
          disabled={busy || holder?.id === id}
          title={holder?.id === id ? `${name} has claimed this issue` : undefined}
          onClick={() => delegate(id)}
        >
          {icon}
          <span class="cut">
            <bdi>{name}</bdi>
            <small>
              {holder?.id === id
                ? "has claimed the issue"
                : issue.delegate?.id === id
                  ? "current delegate"
                  : "available"}
            </small>
          </span>
        </button>
      ))}
      {read && named.length === 0 && (
        <p class="pad dim">
          No agents yet. <a href="/settings/members">Create an agent</a> and a key for the agent.
        </p>
      )}
      {issue.delegate && (
        <button class="mi" type="button" disabled={busy} onClick={() => delegate("")}>
          <Icon name="x" class="i-14" />
          Remove the delegation to <bdi class="cut">{issue.delegate.name}</bdi>
        </button>
      )}
      <ErrorNote words={error} />
      <h2>Or start an agent yourself</h2>
      <div class="ways">
        <CopyButton text={buildIssuePrompt(issue)} label="Copy the prompt">
          Copy the prompt
        </CopyButton>
        <p class="command">
          <code class="wraps">
            trackway run --agent {agent} --team {issue.team.key}
          </code>
          <CopyButton text={`trackway run --agent ${agent} --team ${issue.team.key}`} label="Copy the command" />
        </p>
        <p class="dim">The command works through the ready issues of {issue.team.key}, the most urgent first.</p>
      </div>
    </>
  );
}
