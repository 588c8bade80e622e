import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.tsx";

interface EmptyProps {
  icon: IconName;
  title: string;
  /** "h1" if the page has no other heading. */
  level?: "h1" | "h2";
  children?: ComponentChildren;
}

/** Placeholder for an empty list, with hints for the user. */
export function EmptyState({ icon, title, level: Heading = "h2", children }: EmptyProps) {
  return (
    <div class="none">
      <Icon name={icon} />
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}

interface MissingProps extends Partial<EmptyProps> {
  title: string;
  words: string;
  /** Link or button for the next step. */
  to?: { name: string; href: string } | { name: string; press: () => void };
}

/** Placeholder for an entity that does not exist, with a link to the next step. */
export const NotFoundMessage = ({ icon = "search", words, to, ...empty }: MissingProps) => (
  <EmptyState icon={icon} {...empty}>
    <p>{words}</p>
    {to && (
      <div class="row">
        {"href" in to ? (
          <a class="btn" href={to.href}>
            {to.name}
          </a>
        ) : (
          <button class="btn" type="button" onClick={to.press}>
            {to.name}
          </button>
        )}
      </div>
    )}
  </EmptyState>
);

/** Properties of `Unread`. */
export interface ReadErrorProps extends Omit<MissingProps, "words"> {
  error: { message: string; passing?: boolean };
  retry: () => void;
  /** Text for a missing entity, instead of the server's message. */
  words?: string;
}

/**
 * Message for an entity that could not be read. After a temporary error, the message offers a retry. After any other
 * error, the message says that the entity does not exist.
 */
export const ReadError = ({ error, retry, words = error.message, ...missing }: ReadErrorProps) =>
  error.passing ? <LoadError words={error.message} retry={retry} /> : <NotFoundMessage words={words} {...missing} />;

/** Error of a form or an action; nothing without an error. */
export const ErrorNote = ({ words, icon }: { words: string; icon?: IconName }) =>
  words ? (
    <p class="err" role="alert">
      {icon && <Icon name={icon} class="i-14" />}
      {words}
    </p>
  ) : null;

interface FailureProps {
  title?: string;
  words: string;
  retry?: () => void;
}

/** Error message for data that could not be read, with an optional retry button. */
export function LoadError({ title = "Could not load the data", words, retry }: FailureProps) {
  return (
    <div class="none fail" role="alert">
      <Icon name="warn" />
      <h2>{title}</h2>
      <p>{words}</p>
      {retry && (
        <div class="row">
          <button class="btn" type="button" onClick={retry}>
            <Icon name="retry" class="i-14" />
            Try again
          </button>
        </div>
      )}
    </div>
  );
}

/** Placeholder lines while data loads. The lines appear after 200 ms, so that fast responses cause no flicker. */
export function LoadingPlaceholder({ lines = 8 }: { lines?: number }) {
  const [shown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="sk-list" role="status" aria-label="Loading">
      {shown &&
        Array.from({ length: lines }, (_, n) => (
          <span key={`line ${n}`} class="sk" style={{ width: `${60 + ((n * 29) % 37)}%` }} />
        ))}
    </div>
  );
}
