import { configPath } from '@/components/paths/config-path.ts'
import { useReleaseRight } from '@/components/shell/release-right.ts'
import { LinkButton } from '@/components/ui/button.tsx'
import type { RequestedRelease } from '@/server/releases/release-approvals.ts'
import { moveText } from './moves.ts'

/** Leads to the dialog that makes the release; nothing for users who may not release there. */
export function ReleaseNow({
  asked: { ns, key, environment, version },
}: {
  readonly asked: Pick<RequestedRelease, 'ns' | 'key' | 'environment' | 'version'>
}) {
  if (!useReleaseRight(environment).isAllowed) return null
  const path = configPath(ns, key)
  const href =
    version === null
      ? `${path}/edit?publish=${encodeURIComponent(environment)}`
      : `${path}/versions?move=${moveText({ kind: 'promote', environment, version })}`
  return <LinkButton href={href}>Release now</LinkButton>
}
