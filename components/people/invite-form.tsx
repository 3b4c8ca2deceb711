'use client'
// The form does not reveal whether the address has an account.
import { useMutation } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import {
  Form,
  FormProblem,
  RefusedInput,
  Submit,
  useServerForm,
} from '@/components/kit/form/form.tsx'
import { withPrefix } from '@/components/paths/prefix.ts'
import { signOut } from '@/components/shell/account.ts'
import { signIn } from '@/components/shell/sign-in.ts'
import { type Provider, SingleSignOnButton } from '@/components/shell/single-sign-on-button.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'

type Invitation = inferRouterOutputs<AppRouter>['invitations']['preview']

interface Props {
  readonly token: string
  readonly invitation: Invitation
  readonly providers: readonly Provider[]
}

function roleText({ role, publishIn }: Invitation): string {
  if (role !== 'publisher' || publishIn === null) return role
  return `publisher of ${publishIn.join(', ')}`
}

const openProject = (slug: string): void => {
  window.location.assign(withPrefix(`/?project=${encodeURIComponent(slug)}`))
}

export function InviteForm(props: Props) {
  const { invitation } = props
  const { email, invitedBy, expiresAt, signedInAs } = invitation
  return (
    <div className="flex flex-col gap-4">
      <p className="text-text-2">
        {invitedBy ?? 'An admin'} invited <strong className="text-text">{email}</strong> as{' '}
        {roleText(invitation)}. The link ends at <Timestamp at={expiresAt} style="second" />.
      </p>
      {signedInAs === null ? <Newcomer {...props} /> : <Known {...props} as={signedInAs} />}
    </div>
  )
}

function Known({ token, invitation, as }: Props & { readonly as: string }) {
  const trpc = useTRPC()
  const join = useMutation(
    trpc.invitations.join.mutationOptions({
      onSuccess: ({ projectSlug }) => openProject(projectSlug),
    }),
  )
  const isOther = as.toLowerCase() !== invitation.email
  if (isOther) {
    return (
      <>
        <p role="alert">
          You are signed in as {as}, and this invitation is for {invitation.email}. Sign out, then
          open the link again.
        </p>
        <Button onClick={() => void signOut(window.location.href)}>Sign out</Button>
      </>
    )
  }
  return (
    <>
      <Button variant="primary" disabled={join.isPending} onClick={() => join.mutate({ token })}>
        Join {invitation.projectName}
      </Button>
      <ErrorLine>{join.error?.message}</ErrorLine>
    </>
  )
}

const NEWCOMER = { name: '', password: '' }

function Newcomer({ token, invitation, providers }: Props) {
  const trpc = useTRPC()
  const accept = useMutation(trpc.invitations.accept.mutationOptions())
  const form = useServerForm({
    values: NEWCOMER,
    toInput: (values) => ({ token, ...values }),
    send: async (input) => {
      const { email, projectSlug } = await accept.mutateAsync(input)
      const refusal = await signIn(email, input.password)
      if (refusal !== null) throw new RefusedInput(refusal, 'password')
      openProject(projectSlug)
    },
  })
  const back = withPrefix(`/login?next=${encodeURIComponent(`/invite?token=${token}`)}`)
  return (
    <>
      {providers.map((provider) => (
        <SingleSignOnButton
          key={provider.id}
          next={`/invite?token=${token}`}
          provider={provider}
          verb="Continue"
        />
      ))}
      <Form form={form}>
        <Field label="Email">
          {(control) => (
            <Input {...control} value={invitation.email} autoComplete="username" readOnly />
          )}
        </Field>
        <form.AppField name="name">
          {(field) => (
            <field.TextField label="Your name" autoComplete="name" maxLength={80} required />
          )}
        </form.AppField>
        <form.AppField name="password">
          {(field) => (
            <field.TextField
              label="Choose a password"
              hint="At least 10 characters."
              type="password"
              autoComplete="new-password"
              minLength={10}
              maxLength={128}
              required
            />
          )}
        </form.AppField>
        <FormProblem />
        <Submit variant="primary">Join {invitation.projectName}</Submit>
      </Form>
      <p className="text-text-2">
        Already have an account?{' '}
        <a href={back} className="text-link underline">
          Sign in and join
        </a>
      </p>
    </>
  )
}
