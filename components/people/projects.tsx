'use client'

import { useStore } from '@tanstack/react-form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FolderPlus } from 'lucide-react'
import { useState } from 'react'
import { Form, FormFoot, FormProblem, Submit, useServerForm } from '@/components/kit/form/form.tsx'
import { withPrefix } from '@/components/paths/prefix.ts'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { type Right, useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { toast } from '@/components/ui/toast.tsx'
import { DeleteProject } from './delete-project.tsx'
import { grantText } from './grant.ts'
import { describeProjects } from './people-facts.ts'

export function Projects() {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.projects.mine.queryOptions())
  const right = useRight('admin')
  return (
    <SettingsFrame facts={data && describeProjects(data)}>
      <CurrentProject right={right} />
      <OwnProjects right={right} />
    </SettingsFrame>
  )
}

function CurrentProject({ right }: { readonly right: Right }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.projects.current.queryOptions())
  const [deleting, setDeleting] = useState(false)
  const { data } = query
  return (
    <Card>
      <CardHeader
        title="This project"
        aside="users, keys, configs and sessions are visible only within the project"
        actions={
          <ReasonedButton
            variant="danger"
            isAllowed={right.isAllowed && data !== undefined}
            reason={right.reason}
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
        <Rename key={data.name} name={data.name} slug={data.slug} right={right} />
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
  right,
}: {
  readonly name: string
  readonly slug: string
  readonly right: Right
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
              right.reason ?? (
                <>
                  URLs and bundles use <code>{slug}</code>, even after a rename.
                </>
              )
            }
            maxLength={60}
            disabled={!right.isAllowed}
            required
          />
        )}
      </form.AppField>
      <FormProblem />
      <div>
        <Submit disabled={!right.isAllowed || next === '' || next === name}>Rename</Submit>
      </div>
    </Form>
  )
}

function OwnProjects({ right }: { readonly right: Right }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.projects.mine.queryOptions())
  const current = useQuery(trpc.projects.current.queryOptions()).data
  const [creating, setCreating] = useState(false)
  return (
    <Card>
      <CardHeader
        title="Your projects"
        actions={
          <ReasonedButton {...right} variant="primary" onClick={() => setCreating(true)}>
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
        <FormFoot onCancel={onClose}>
          <Submit variant="primary" disabled={create.isSuccess || !isNamed}>
            Create project
          </Submit>
        </FormFoot>
      </Form>
    </Dialog>
  )
}
