import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

/** Section of a panel that folds. */
export function CollapsibleSection({
  title,
  detail,
  open = true,
  children,
}: {
  title: string;
  detail?: string;
  open?: boolean;
  children: ComponentChildren;
}) {
  return (
    <details class="fold" open={open}>
      <summary>
        <Icon name="right" class="i-14" />
        {title}
        {detail && <small>{detail}</small>}
      </summary>
      <div class="in-fold">{children}</div>
    </details>
  );
}
