'use client'

import { useQuery } from '@tanstack/react-query'
import { Lock } from 'lucide-react'
import { useId } from 'react'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'

/** Replaces a list or a page that only admins may see, and names the admins who can give access. */
export function Refusal({ children }: { readonly children: string }) {
  const trpc = useTRPC()
  const members = useQuery(trpc.members.list.queryOptions()).data
  const project = useQuery({ ...trpc.projects.current.queryOptions(), staleTime: 60_000 }).data
  const admins = members?.filter(({ role }) => role === 'admin') ?? []
  return (
    <div className="flex flex-col gap-4 px-4 py-6 text-text-2">
      <p className="flex items-start gap-2">
        <Lock size={16} aria-hidden className="mt-0.5 shrink-0" />
        {children}
      </p>
      {admins.length > 0 && project !== undefined && (
        <AskForAccess admins={admins} project={project.name} />
      )}
    </div>
  )
}

/** More receivers than one request needs. */
const MOST_ADMINS = 5

interface Admin {
  readonly userId: string
  readonly name: string
  readonly email: string
}

/** Only in a browser, which knows the address of the page. */
function AskForAccess({
  admins,
  project,
}: {
  readonly admins: readonly Admin[]
  readonly project: string
}) {
  const id = useId()
  const shown = admins.slice(0, MOST_ADMINS)
  const request = `Please give me the admin role in the project ${project} of Signalbox. I need it for ${window.location.href}`
  const mail = new URLSearchParams({ subject: `Access to ${project} in Signalbox`, body: request })
  // In an email's address, a plus sign is not a space.
  const href = `mailto:${shown.map(({ email }) => encodeURIComponent(email)).join(',')}?${mail.toString().replaceAll('+', '%20')}`
  return (
    <section aria-labelledby={id} className="flex max-w-2xl flex-col items-start gap-2">
      <h2 id={id} className="font-semibold text-h2 text-text">
        Ask for access
      </h2>
      <ul>
        {shown.map(({ userId, name, email }) => (
          <li key={userId} className="wrap-anywhere">
            {name}, {email}
          </li>
        ))}
        {admins.length > MOST_ADMINS && <li>and {admins.length - MOST_ADMINS} more</li>}
      </ul>
      <p className="flex items-start gap-1.5 rounded-control border border-border bg-surface-2 py-1.5 pr-1.5 pl-2.5">
        <span className="wrap-anywhere min-w-0">{request}</span>
        <CopyButton text={request} label="Copy the request" />
      </p>
      <a href={href} className="text-link underline">
        Write an email
      </a>
    </section>
  )
}
