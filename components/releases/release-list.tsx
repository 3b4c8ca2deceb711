import { Link } from '@/components/ui/link.tsx'
import { EmptyState } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import { ReleaseStanding } from './release-standing.tsx'

const WORD = { publish: 'published', promote: 'promoted', rollback: 'rolled back' } as const

export function ReleaseList({ releases }: { readonly releases: ConfigDetail['releases'] }) {
  if (releases.length === 0) return <EmptyState title="Nothing has been released yet." />
  return (
    <Table isStacked>
      <thead>
        <tr>
          <HeadCell>When</HeadCell>
          <HeadCell>Environment</HeadCell>
          <HeadCell>Release</HeadCell>
          <HeadCell>State</HeadCell>
          <HeadCell>By</HeadCell>
          <HeadCell>Note</HeadCell>
          <HeadCell>Revision</HeadCell>
          <HeadCell>
            <span className="sr-only">Release page</span>
          </HeadCell>
        </tr>
      </thead>
      <tbody>
        {releases.map((release) => (
          <Row key={release.id}>
            <Cell>
              <Timestamp at={release.createdAt} style="second" />
            </Cell>
            <Cell label="Environment">{release.environment}</Cell>
            <Cell label="Release">
              <span className="font-mono text-mono">
                {release.previousVersion === null ? '' : `v${release.previousVersion} → `}v
                {release.version}
              </span>{' '}
              {WORD[release.kind]}
            </Cell>
            <Cell label="State" className="max-w-96">
              <ReleaseStanding release={release} />
            </Cell>
            <Cell label="By">{release.author ?? 'A former member'}</Cell>
            <Cell label="Note" title={release.note ?? undefined}>
              {release.note ?? '–'}
            </Cell>
            <Cell label="Revision" className="font-mono text-mono">
              {release.revision}
            </Cell>
            <Cell>
              <Link href={`/releases/${release.id}`} className="text-link hover:underline">
                Open
              </Link>
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}
