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
