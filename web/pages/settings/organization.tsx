import { useState } from "preact/hooks";
import { UpdateOrganization } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { ended, enterOrganization, session } from "../../data/session.ts";
import { Form, Intro, isOwner } from "./parts.tsx";

/** The organization's name and address, and the way to another one. */
export const OrganizationPart = () => (
  <>
    <Intro title="Organization">Its name, and how its addresses begin. Old addresses go on leading here.</Intro>
    <Names />
    <section class="stack" aria-labelledby="switch">
      <h2 id="switch">Switch to another organization</h2>
      <Form
        inline
        fields={[{ name: "organization", label: "Its URL name", placeholder: "Its URL name" }]}
        action="Switch"
        submit={(body) => enterOrganization("POST /api/auth/switch", { body })}
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
        submit={(body) => enterOrganization("POST /api/organization", { body })}
      />
    </section>
  </>
);

/** The name and the address; owners change them. */
function Names() {
  const [done, setDone] = useState(false);
  const { name = "", urlKey = "" } = session.value?.organization ?? {};
  const save = async (input: Record<string, string>) => {
    await request(UpdateOrganization, { input });
    await ended();
    setDone(true);
  };
  return (
    <>
      {isOwner() ? (
        <Form
          fields={[
            { name: "name", label: "Name", value: name },
            { name: "urlKey", label: "URL name", value: urlKey },
          ]}
          action="Save"
          submit={save}
        />
      ) : (
        <dl class="kv">
          <dt>Name</dt>
          <dd>{name}</dd>
          <dt>In addresses</dt>
          <dd>{urlKey}</dd>
        </dl>
      )}
      <p role="status" class="hint">
        {done && "Saved."}
      </p>
    </>
  );
}
