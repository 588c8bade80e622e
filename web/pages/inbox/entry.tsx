import { useEffect, useState } from "preact/hooks";
import { readOwn } from "../../../formats/own.ts";
import { HOUR_MS } from "../../../formats/time.ts";
import { InboxSession } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Drawing, Icon } from "../../parts/icon.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { withoutAnsi } from "../../parts/texts/ansi.ts";
import { Copy } from "../../parts/texts/copy.tsx";
import { clip } from "../../parts/texts/format.ts";
import { LongText } from "../../parts/texts/long-text.tsx";
import { Ago } from "../../parts/time/time.tsx";
import { useKeys } from "../../shell/keys.ts";
import { navigate } from "../../shell/router.ts";
import { toolIcon } from "../tools/icon.ts";
import type { Marks } from "./inbox.tsx";
import { DRAWINGS, type Entry, isStopped, subjectOf, tintOf, titleOf } from "./words.ts";

const SNOOZES: [name: string, hours: number][] = [
  ["For an hour", 1],
  ["For a day", 24],
  ["For a week", 24 * 7],
];

interface EntryProps {
  entry: Entry;
  put: (marks: Marks) => void;
  /** Notes that it was read. */
  read: () => void;
  /** The address of the list. */
  back: string;
}

/** One entry in full: the question, where to answer, and what came just before. */
export function OneEntry({ entry, put, read, back }: EntryProps) {
  const [snoozes, snooze] = useState(false);
  useEffect(() => {
    if (!entry.readAt) read();
  }, []);
  const isDone = entry.doneAt !== null;
  const subject = subjectOf(entry);
  const end = () => put({ done: !isDone });
  useKeys({
    e: end,
    s: () => snooze(true),
    Enter: () => subject && navigate(subject[1]),
    Escape: () => navigate(back),
  });
  const choose = (hours: number) => {
    snooze(false);
    put({ snoozedUntilAt: new Date(Date.now() + hours * HOUR_MS).toISOString() });
  };
  return (
    <article class="inbox-entry" aria-labelledby="entry">
      <header>
        <a class="back" href={back} aria-label="Back to the inbox">
          <Icon name="right" />
        </a>
        <Drawing d={DRAWINGS[entry.type]} class={tintOf(entry)} />
        <div>
          <h2 id="entry">
            <bdi>{titleOf(entry)}</bdi>
          </h2>
          <p class="dim">
            <Ago at={entry.createdAt} prose />
          </p>
        </div>
        <div class="row inbox-acts">
          {subject && (
            <a class="btn" href={subject[1]}>
              <Icon name={entry.session ? "sessions" : entry.issue ? "issues" : "fail"} class="i-14" />
              {subject[0]} <kbd class="only-wide">↵</kbd>
            </a>
          )}
          <button class="btn quiet to-right" type="button" onClick={() => snooze(true)}>
            <Icon name="clock" class="i-14" />
            Snooze <kbd class="only-wide">S</kbd>
          </button>
          <button class="btn" type="button" onClick={end}>
            <Icon name="check" class="i-14" />
            {isDone ? "Not done" : "Done"} <kbd class="only-wide">E</kbd>
          </button>
        </div>
      </header>
      <div class="inbox-body">
        {entry.question && (
          <section aria-labelledby="question">
            <h3 id="question">{entry.type === "waitingForPermission" ? "It wants to run" : "What it says"}</h3>
            <LongText text={withoutAnsi(entry.question)} label="The question" />
          </section>
        )}
        {entry.session && <Where id={entry.session.id} isStopped={isStopped(entry)} />}
      </div>
      {snoozes && (
        <Dialog title="Snooze" close={() => snooze(false)}>
          <div class="stack choices">
            {SNOOZES.map(([name, hours]) => (
              <button key={name} class="btn" type="button" onClick={() => choose(hours)}>
                {name}
              </button>
            ))}
          </div>
        </Dialog>
      )}
    </article>
  );
}

/** The place where an agent runs, and its last calls. */
function Where({ id, isStopped: stopped }: { id: string; isStopped: boolean }) {
  const { data, error, reload } = useQuery(InboxSession, { id });
  return (
    <Loaded data={data?.recordedSession} error={error} retry={reload} lines={3}>
      {({ metadata, source, externalId, events }) => {
        const known = (name: string) => {
          const value = readOwn(metadata as Record<string, unknown> | null, name);
          return typeof value === "string" ? value : undefined;
        };
        const facts: [name: string, value: string | null | undefined][] = [
          ["Program", source],
          ["Computer", known("host")],
          ["Folder", known("cwd")],
          ["Session", externalId],
        ];
        return (
          <>
            {stopped && (
              <section class="where" aria-labelledby="where">
                <h3 id="where">
                  <Icon name="bash" class="i-14 c-run" /> Answer where it runs
                </h3>
                <p>Trackway records the question; the agent takes the answer only there.</p>
                <dl class="kv">
                  {facts.map(
                    ([name, value]) =>
                      value && (
                        <div key={name} class="contents">
                          <dt>{name}</dt>
                          <dd class="row">
                            <bdi class="mono">{clip(value, 300)}</bdi>
                            <Copy text={value} label={`Copy the ${name.toLowerCase()}`} />
                          </dd>
                        </div>
                      ),
                  )}
                </dl>
              </section>
            )}
            {events.nodes.length > 0 && (
              <section aria-labelledby="before">
                <h3 id="before">Just before</h3>
                <ul class="links just-before">
                  {events.nodes.map((event) => (
                    <li key={event.id}>
                      <a class="row" href={`/sessions/${id}/events/${event.id}`}>
                        <Icon name={event.kind === "turn" ? "turn" : toolIcon(event.primitiveName)} class="i-14 dim" />
                        <bdi class={event.success ? "strong" : "strong c-fail"}>{event.primitiveName}</bdi>
                        <bdi class="cut grow mono dim">
                          {clip(withoutAnsi(event.args ?? "").replaceAll(/\s+/g, " "), 160)}
                        </bdi>
                        <span class="dim num">
                          <Ago at={event.timestamp} />
                        </span>
                      </a>
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
