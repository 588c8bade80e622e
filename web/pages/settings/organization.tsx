import { useState } from "preact/hooks";
import { UpdateOrganization } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { currentLogin, recheckLogin, switchOrganization } from "../../data/session.ts";
import { isCurrentUserOwner, SettingsForm, SettingsPageHeader } from "./parts.tsx";

/** Name and URL prefix of the organization, and a form that switches to another organization. */
export const OrganizationSettings = () => (
  <>
    <SettingsPageHeader title="Organization">
      Name and URL prefix of the organization. Old URLs keep redirecting here.
    </SettingsPageHeader>
    <Names />
    <section class="stack" aria-labelledby="switch">
      <h2 id="switch">Switch to another organization</h2>
      <SettingsForm
        inline
        fields={[{ name: "organization", label: "URL name of the organization", placeholder: "URL name" }]}
        action="Switch"
        submit={(body) => switchOrganization("POST /api/auth/switch", { body })}
      />
    </section>
    <section class="stack" aria-labelledby="new">
      <h2 id="new">Create an organization</h2>
      <SettingsForm
        inline
        fields={[
          { name: "name", label: "Name of the new organization", placeholder: "Name" },
          { name: "urlKey", label: "URL name of the new organization", placeholder: "URL name" },
        ]}
        action="Create"
        submit={(body) => switchOrganization("POST /api/organization", { body })}
      />
    </section>
  </>
);

/** Form with the name and the URL prefix. Only owners can change the values. */
function Names() {
  const [done, setDone] = useState(false);
  const { name = "", urlKey = "" } = currentLogin.value?.organization ?? {};
  const save = async (input: Record<string, string>) => {
    await requestGraphQL(UpdateOrganization, { input });
    await recheckLogin();
    setDone(true);
  };
  return (
    <>
      {isCurrentUserOwner() ? (
        <SettingsForm
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
          <dt>URL name</dt>
          <dd>{urlKey}</dd>
        </dl>
      )}
      <p role="status" class="hint">
        {done && "Saved."}
      </p>
    </>
  );
}
