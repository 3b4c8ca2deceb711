import { withPrefix } from '@/components/paths/prefix.ts'
import { EntryCard } from './entry-card.tsx'
import { SignOutButton } from './sign-out-button.tsx'

export function NoProject({
  asked,
  projects,
}: {
  /** Slug in the address; null: the user has no project. */
  readonly asked: string | null
  readonly projects: readonly { readonly slug: string; readonly projectName: string }[]
}) {
  return (
    <EntryCard title={asked === null ? 'You are not a member of any project' : 'Project not found'}>
      <p className="text-text-2">
        {asked === null
          ? 'Ask an admin for an invitation, then open its link.'
          : `You have no project “${asked}”: it does not exist, or you are not a member of it.`}
      </p>
      {projects.length > 0 && (
        <ul className="my-3 flex flex-col gap-1">
          {projects.map(({ slug, projectName }) => (
            <li key={slug}>
              <a
                href={withPrefix(`/?project=${encodeURIComponent(slug)}`)}
                className="text-link underline"
              >
                {projectName}
              </a>
            </li>
          ))}
        </ul>
      )}
      <SignOutButton />
    </EntryCard>
  )
}
