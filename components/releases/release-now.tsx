import { useReleaseRight } from '@/components/shell/release-right.ts'
import { LinkButton } from '@/components/ui/button.tsx'
import { type RequestedSubject, releaseHref } from './release-href.ts'

/** Leads to the dialog that makes the release; nothing for users who may not release there. */
export function ReleaseNow({
  asked,
  isMain = false,
}: {
  readonly asked: RequestedSubject
  readonly isMain?: boolean
}) {
  if (!useReleaseRight(asked.environment).isAllowed) return null
  return (
    <LinkButton variant={isMain ? 'primary' : 'secondary'} href={releaseHref(asked)}>
      Release now
    </LinkButton>
  )
}
