// Describes a release in a few words, the same in every list.
const VERBS = { publish: 'published to', promote: 'promoted to' } as const

interface NamedRelease {
  readonly id: string
  readonly kind: 'publish' | 'promote' | 'rollback'
  readonly ns: string
  readonly key: string
  readonly version: number
  readonly previousVersion: number | null
  readonly environment: string
  readonly author: string | null
}

function doneText({ kind, environment, author }: NamedRelease): string {
  if (kind !== 'rollback') return `${VERBS[kind]} ${environment}`
  return `rolled back by ${author ?? 'a former member'} in ${environment}`
}

/** `v14 → v15 published to dev`, `v15 → v14 rolled back by M. Ruiz in production` */
export function ReleaseWords({ release }: { readonly release: NamedRelease }) {
  const { version, previousVersion } = release
  return (
    <>
      <code className="font-medium">
        {previousVersion === null ? '' : `v${previousVersion} → `}v{version}
      </code>{' '}
      {doneText(release)}
    </>
  )
}
