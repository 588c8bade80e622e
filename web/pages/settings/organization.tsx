import { useState } from "preact/hooks";
import { UpdateOrganization } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { ended, enterOrganization, session } from "../../data/session.ts";
import { Form, Intro, isOwner } from "./parts.tsx";

/** The organization's name and address, and the way to another one. */
export function OrganizationPart() {
  const [done, setDone] = useState(false);
  const organization = session.value?.organization;
  const save = async (input: Record<string, string>) => {
    await request(UpdateOrganization, { input });
    await ended();
    setDone(true);
  };
  return (
    <>
      <Intro title="Organization">Its name, and how its addresses begin. Old addresses go on leading here.</Intro>
      {isOwner() ? (
        <Form
          fields={[
            { name: "name", label: "Name", value: organization?.name ?? "" },
            { name: "urlKey", label: "URL name", value: organization?.urlKey ?? "" },
          ]}
          action="Save"
          submit={save}
        />
      ) : (
        <dl class="kv">
          <dt>Name</dt>
          <dd>{organization?.name}</dd>
          <dt>In addresses</dt>
          <dd>{organization?.urlKey}</dd>
        </dl>
      )}
      <p role="status" class="hint">
        {done && "Saved."}
      </p>
      <section class="stack" aria-labelledby="switch">
        <h2 id="switch">Switch to another organization</h2>
        <Form
          inline
          fields={[{ name: "organization", label: "Its URL name", placeholder: "Its URL name" }]}
          action="Switch"
          submit={(body) => enterOrganization("/api/auth/switch", body)}
        />
      </section>
      <section class="stack" aria-labelledby="new">
        <h2 id="new">Create an organization</h2>
        <Form
          inline
          fields={[
            { name: "name", label: "Name of the new organization", placeholder: "Name" },
            { name: "urlKey", label: "URL name of the new organization", placeholder: "URL name" },
          ]}
          action="Create"
          submit={(body) => enterOrganization("/api/organization", body)}
        />
      </section>
    </>
  );
}
