import {
  draggable,
  dropTargetForElements,
  monitorForElements,
} from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useEffect, useRef, useState } from "preact/hooks";

/** Makes a card draggable. */
export function useDraggableCard(id: string) {
  const card = useRef<HTMLLIElement>(null);
  const [dragged, setDragged] = useState(false);
  useEffect(() => {
    const element = card.current;
    if (!element) return;
    return draggable({
      element,
      getInitialData: () => ({ issueId: id }),
      onDragStart: () => setDragged(true),
      onDrop: () => setDragged(false),
    });
  }, [id]);
  return { card, dragged };
}

/** Makes a column a drop target for cards. */
export function useDropColumn(key: string | null) {
  const target = useRef<HTMLElement>(null);
  const [over, setOver] = useState(false);
  useEffect(() => {
    const element = target.current;
    if (!element) return;
    return dropTargetForElements({
      element,
      getData: () => ({ group: key }),
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop: () => setOver(false),
    });
  }, [key]);
  return { target, over };
}

/** Calls `dropped` with the id of the dropped card and the key of the column's group. */
export function useDropMonitor(dropped: (id: string, key: string | null) => void): void {
  const act = useRef(dropped);
  act.current = dropped;
  useEffect(
    () =>
      monitorForElements({
        onDrop: ({ source, location }) => {
          const target = location.current.dropTargets[0]?.data;
          if (target) act.current(String(source.data["issueId"]), target["group"] as string | null);
        },
      }),
    [],
  );
}
