import type { ComponentChildren } from "preact";

/** A property in a list of them, with its value. */
export const Property = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

interface DayFieldProps {
  label: string;
  /** Such as 2026-12-04. */
  value: string | null;
  change: (day: string | null) => void;
}

/** The value of a property that is a day. */
export const DayField = ({ label, value, change }: DayFieldProps) => (
  <input
    class="val"
    type="date"
    aria-label={label}
    value={value ?? ""}
    onChange={(event) => change(event.currentTarget.value || null)}
  />
);
