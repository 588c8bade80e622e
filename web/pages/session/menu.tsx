import { useCallback, useRef, useState } from "preact/hooks";
import { Popover } from "../../parts/choose/popover.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { IconName } from "../../parts/icons.tsx";
import { copyText } from "../../parts/texts/copy.tsx";
import { toast } from "../../parts/toast.tsx";
import { useKeys } from "../../shell/keys.ts";
import { isOwner } from "../settings/parts.tsx";
import { CompareWith } from "./compare-with.tsx";
import type { EventTree } from "./events.ts";
import { download, toJson, toMarkdown } from "./export/export.ts";
import { Delete, Hold, Release } from "./owner-actions.tsx";
import type { Recorded } from "./readings.ts";

interface MenuProps {
  recorded: Recorded;
  tree: EventTree;
  /** Reads the session anew. */
  reload: () => void;
}

/** Dialogs that the menu opens. */
type Asked = "compare" | "hold" | "release" | "delete";

/** All that can be done with a session. */
export function Menu({ recorded, tree, reload }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [asked, ask] = useState<Asked>();
  const close = useCallback(() => setOpen(false), []);
  useKeys({ b: () => ask("compare") });
  return (
    <>
      <button class="btn only-wide" type="button" onClick={() => ask("compare")}>
        Compare
      </button>
      <button
        class="btn sq"
        type="button"
        ref={button}
        aria-label="More"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="dots" class="i-14" />
      </button>
      {isOpen && button.current && (
        <Popover anchor={button.current} label="More" close={close} atEnd>
          <Items recorded={recorded} tree={tree} ask={ask} close={close} />
        </Popover>
      )}
      <Asks asked={asked} recorded={recorded} reload={reload} close={() => ask(undefined)} />
    </>
  );
}

interface ItemsProps extends Pick<MenuProps, "recorded" | "tree"> {
  ask: (what: Asked) => void;
  close: () => void;
}

function Items({ recorded, tree, ask, close }: ItemsProps) {
  const doing = (act: () => void) => () => {
    close();
    act();
  };
  const save = (ending: string, write: (recorded: Recorded, tree: EventTree) => Promise<string>) =>
    doing(() => {
      write(recorded, tree).then(
        (text) => download(`session-${recorded.id}.${ending}`, text),
        (error: Error) => toast(error.message),
      );
    });
  const copy = doing(() => void copyText(location.href).then(() => toast("The link is copied.")));
  const isHeld = recorded.holdReason !== null;
  return (
    <>
      <Item icon="sessions" name="Compare with another run…" keyName="B" act={doing(() => ask("compare"))} />
      <Item icon="link" name="Copy link" act={copy} />
      <hr />
      <Item
        icon="ship"
        name="Save as one HTML file"
        detail="No script, opens offline"
        act={save("html", async (...session) => (await import("./export/html.ts")).toHtml(...session))}
      />
      <Item icon="read" name="Save as Markdown" act={save("md", toMarkdown)} />
      <Item icon="ship" name="Save as JSON" act={save("json", toJson)} />
      {isOwner() && (
        <>
          <hr />
          <Item
            icon="flag"
            name={isHeld ? "Release…" : "Hold…"}
            detail={isHeld ? "Retention counts again" : "Kept, whatever retention says"}
            act={doing(() => ask(isHeld ? "release" : "hold"))}
          />
          <Item icon="x" name="Delete…" detail="For good: nothing brings it back" act={doing(() => ask("delete"))} />
        </>
      )}
    </>
  );
}

interface ItemProps {
  icon: IconName;
  name: string;
  detail?: string;
  keyName?: string;
  act: () => void;
}

const Item = ({ icon, name, detail, keyName, act }: ItemProps) => (
  <button class={detail ? "mi two" : "mi"} type="button" onClick={act}>
    <Icon name={icon} class="i-14" />
    <span>
      {name}
      {detail && <small>{detail}</small>}
    </span>
    {keyName && (
      <span class="end only-wide" aria-hidden="true">
        <kbd>{keyName}</kbd>
      </span>
    )}
  </button>
);

interface AsksProps extends Pick<MenuProps, "recorded" | "reload"> {
  asked: Asked | undefined;
  close: () => void;
}

function Asks({ asked, recorded, reload, close }: AsksProps) {
  const { id } = recorded;
  if (asked === "compare") return <CompareWith recorded={recorded} close={close} />;
  if (asked === "hold") return <Hold id={id} reload={reload} close={close} />;
  if (asked === "release") return <Release id={id} reload={reload} close={close} reason={recorded.holdReason ?? ""} />;
  return asked === "delete" ? <Delete id={id} close={close} /> : null;
}
