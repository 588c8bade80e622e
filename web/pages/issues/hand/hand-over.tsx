import { useCallback, useRef, useState } from "preact/hooks";
import { UpdateIssue } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import { Popover } from "../../../parts/choose/popover.tsx";
import { Drawing } from "../../../parts/drawings.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { useSending } from "../../../parts/sending.ts";
import { Problem } from "../../../parts/states.tsx";
import { Copy } from "../../../parts/texts/copy.tsx";
import { useKeys } from "../../../shell/keys.ts";
import { useFieldOptions } from "../choices.tsx";
import type { IssueData } from "../issue.tsx";
import { isOver } from "../marks.tsx";
import { promptOf } from "./prompt.ts";

/** The button that hands an issue to an agent: by delegating it, or by starting one oneself. */
export function HandOver({ issue, reload }: { issue: IssueData; reload: () => Promise<void> }) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const over = isOver(issue.state.type) ? "It is closed: open it first." : undefined;
  useKeys({ h: () => over === undefined && setOpen(true) });
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
        <Drawing name="hand" />
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

/** Agents that the command line starts. */
const RUNNABLE = ["claude-code", "codex", "opencode"];

function Ways({ issue, reload, close }: { issue: IssueData; reload: () => Promise<void>; close: () => void }) {
  const { agents, read } = useFieldOptions(issue.team.id);
  const { busy, error, send } = useSending();
  const delegate = (delegateId: string) =>
    send(
      request(UpdateIssue, { id: issue.id, input: { delegateId: delegateId || null } })
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
        <span>{issue.assignee ? `${issue.assignee.name} stays its assignee` : "Nobody is its assignee"}</span>
      </h2>
      {named.map(({ id, name, icon }) => (
        <button
          key={id}
          class="mi two"
          type="button"
          disabled={busy || holder?.id === id}
          title={holder?.id === id ? `${name} holds it` : undefined}
          onClick={() => delegate(id)}
        >
          {icon}
          <span class="cut">
            <bdi>{name}</bdi>
            <small>
              {holder?.id === id ? "holds it" : issue.delegate?.id === id ? "has it now" : "free to take it"}
            </small>
          </span>
        </button>
      ))}
      {read && named.length === 0 && (
        <p class="pad dim">
          There is no agent yet. <a href="/settings/members">Make one</a> and give it a key.
        </p>
      )}
      {issue.delegate && (
        <button class="mi" type="button" disabled={busy} onClick={() => delegate("")}>
          <Icon name="x" class="i-14" />
          Take it back from <bdi class="cut">{issue.delegate.name}</bdi>
        </button>
      )}
      <Problem words={error} />
      <h2>Or start one yourself</h2>
      <div class="ways">
        <Copy text={promptOf(issue)} label="Copy the prompt">
          Copy the prompt
        </Copy>
        <p class="command">
          <code class="wraps">
            trackway run --agent {agent} --team {issue.team.key}
          </code>
          <Copy text={`trackway run --agent ${agent} --team ${issue.team.key}`} label="Copy the command" />
        </p>
        <p class="dim">It works off what is ready in {issue.team.key}, the most urgent first.</p>
      </div>
    </>
  );
}
