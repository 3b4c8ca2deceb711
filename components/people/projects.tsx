'use client'

import { useStore } from '@tanstack/react-form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FolderPlus } from 'lucide-react'
import { useState } from 'react'
import { Form, FormProblem, Submit, useServerForm } from '@/components/kit/form/form.tsx'
import { withPrefix } from '@/components/paths/prefix.ts'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { toast } from '@/components/ui/toast.tsx'
import { DeleteProject } from './delete-project.tsx'
import { grantText } from './grant.ts'

const ONLY_ADMINS = 'Only an admin of this project can do this'

export function Projects() {
  const trpc = useTRPC()
  const me = useQuery(trpc.members.me.queryOptions())
  const isAdmin = me.data?.role === 'admin'
  return (
    <SettingsFrame>
      <CurrentProject isAdmin={isAdmin} />
      <OwnProjects isAdmin={isAdmin} />
    </SettingsFrame>
  )
}

function CurrentProject({ isAdmin }: { readonly isAdmin: boolean }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.projects.current.queryOptions())
  const [deleting, setDeleting] = useState(false)
  const { data } = query
  return (
    <Card>
      <CardHeader
        title="This project"
        aside="people, keys, configs and sessions are visible only within the project"
        actions={
          <ReasonedButton
            variant="danger"
            isAllowed={isAdmin && data !== undefined}
            reason={isAdmin ? null : ONLY_ADMINS}
            onClick={() => setDeleting(true)}
          >
            Delete…
          </ReasonedButton>
        }
      />
      {query.isPending && <SkeletonRows />}
      {query.isError && (
        <ErrorState
          what="The project could not be loaded."
          why={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {data !== undefined && (
        <Rename key={data.name} name={data.name} slug={data.slug} isAdmin={isAdmin} />
      )}
      {deleting && data !== undefined && (
        <DeleteProject name={data.name} onClose={() => setDeleting(false)} />
      )}
    </Card>
  )
}

function Rename({
  name,
  slug,
  isAdmin,
}: {
  readonly name: string
  readonly slug: string
  readonly isAdmin: boolean
}) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const rename = useMutation(
    trpc.projects.rename.mutationOptions({
      onSuccess: () => {
        toast('The project was renamed.')
        void client.invalidateQueries({ queryKey: trpc.projects.pathKey() })
      },
    }),
  )
  const form = useServerForm({
    values: { name },
    toInput: (values) => values,
    send: rename.mutateAsync,
  })
  const next = useStore(form.store, ({ values }) => values.name.trim())
  return (
    <Form form={form} className="flex max-w-md flex-col gap-3 p-3">
      <form.AppField name="name">
        {(field) => (
          <field.TextField
            label="Name"
            hint={
              isAdmin ? (
                <>
                  URLs and bundles use <code>{slug}</code>, even after a rename.
                </>
              ) : (
                ONLY_ADMINS
              )
            }
            maxLength={60}
            disabled={!isAdmin}
            required
          />
        )}
      </form.AppField>
      <FormProblem />
      <div>
        <Submit disabled={!isAdmin || next === '' || next === name}>Rename</Submit>
      </div>
    </Form>
  )
}

function OwnProjects({ isAdmin }: { readonly isAdmin: boolean }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.projects.mine.queryOptions())
  const current = useQuery(trpc.projects.current.queryOptions()).data
  const [creating, setCreating] = useState(false)
  return (
    <Card>
      <CardHeader
        title="Your projects"
        actions={
          <ReasonedButton
            variant="primary"
            isAllowed={isAdmin}
            reason={isAdmin ? null : ONLY_ADMINS}
            onClick={() => setCreating(true)}
          >
            <FolderPlus size={14} aria-hidden />
            New project
          </ReasonedButton>
        }
      />
      {query.isPending && <SkeletonRows />}
      {query.isError && (
        <ErrorState
          what="Your projects could not be loaded."
          why={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data !== undefined && (
        <Table isStacked>
          <thead>
            <tr>
              <HeadCell>Name</HeadCell>
              <HeadCell>In URLs</HeadCell>
              <HeadCell>Your role</HeadCell>
            </tr>
          </thead>
          <tbody>
            {query.data.map((project) => (
              <Row key={project.slug}>
                <Cell className="font-medium">
                  {project.slug === current?.slug ? (
                    <>
                      {project.projectName} <span className="text-text-3">(this one)</span>
                    </>
                  ) : (
                    <a
                      href={withPrefix(`/?project=${encodeURIComponent(project.slug)}`)}
                      className="text-link underline"
                    >
                      {project.projectName}
                    </a>
                  )}
                </Cell>
                <Cell label="In URLs">
                  <code>{project.slug}</code>
                </Cell>
                <Cell label="Your role">{grantText(project)}</Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      )}
      {creating && <NewProject onClose={() => setCreating(false)} />}
    </Card>
  )
}

function NewProject({ onClose }: { readonly onClose: () => void }) {
  const trpc = useTRPC()
  const create = useMutation(
    trpc.projects.create.mutationOptions({
      // Loads a new address, because from now on the address names the project.
      onSuccess: ({ slug }) =>
        window.location.assign(
          withPrefix(`/settings/projects?project=${encodeURIComponent(slug)}`),
        ),
    }),
  )
  const form = useServerForm({
    values: { name: '' },
    toInput: (values) => values,
    send: create.mutateAsync,
  })
  const isNamed = useStore(form.store, ({ values }) => values.name.trim() !== '')
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="New project"
      description="Creates the environments dev, staging and production, with you as admin. It shares no data with this project."
    >
      <Form form={form}>
        <form.AppField name="name">
          {(field) => (
            <field.TextField
              label="Name"
              hint="For example, the team that runs the agents."
              maxLength={60}
              required
            />
          )}
        </form.AppField>
        <FormProblem />
        <Submit variant="primary" disabled={create.isSuccess || !isNamed}>
          Create project
        </Submit>
      </Form>
    </Dialog>
  )
}
