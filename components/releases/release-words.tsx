// A release in a few words, the same in every list.
import { Link } from '@/components/ui/link.tsx'

const VERBS = {
  publish: 'published to',
  promote: 'promoted to',
  rollback: 'rolled back in',
} as const

interface Told {
  readonly id: string
  readonly kind: 'publish' | 'promote' | 'rollback'
  readonly ns: string
  readonly key: string
  readonly version: number
  readonly previousVersion: number | null
  readonly environment: string
}

/** `v14 → v15 published to dev` */
export function ReleaseWords({ release }: { readonly release: Told }) {
  const { kind, version, previousVersion, environment } = release
  return (
    <>
      <code className="font-medium">
        {previousVersion === null ? '' : `v${previousVersion} → `}v{version}
      </code>{' '}
      {VERBS[kind]} {environment}
    </>
  )
}

export function ReleaseLink({ release }: { readonly release: Told }) {
  return (
    <Link
      data-row={release.id}
      href={`/rollouts/${release.id}`}
      className="text-link hover:underline"
    >
      {release.ns}/{release.key}
    </Link>
  )
}
