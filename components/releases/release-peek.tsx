'use client'

import { Fact, Facts, Peek } from '@/components/kit/list/peek.tsx'
import { versionPath } from '@/components/paths/config-path.ts'
import { IdChip } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ListedRelease } from '@/server/releases/release-list.sql.ts'
import { AdoptionView } from './adoption-view.tsx'
import { ReleaseStanding } from './release-standing.tsx'
import { ReleaseWords } from './release-words.tsx'

export function ReleasePeek({
  release,
  onClose,
}: {
  readonly release: ListedRelease
  readonly onClose: () => void
}) {
  const { id, ns, key, version, author, note, createdAt } = release
  return (
    <Peek title={`${ns}/${key}`} onClose={onClose}>
      <div className="flex flex-col items-start gap-3">
        <p className="font-semibold text-h1">
          <ReleaseWords release={release} />
        </p>
        <ReleaseStanding release={release} />
        <AdoptionView releaseId={id} />
        <Facts>
          <Fact name="By">{author ?? 'A former member'}</Fact>
          <Fact name="When">
            <Timestamp at={createdAt} style="second" />
          </Fact>
          <Fact name="Note">{note ?? '–'}</Fact>
          <Fact name="Release">
            <IdChip id={id} label="Copy the release id" />
          </Fact>
        </Facts>
        <p className="flex flex-wrap gap-x-4">
          <Link href={`/releases/${id}`} className="text-link underline">
            Open the release
          </Link>
          <Link href={versionPath({ ns, key, number: version })} className="text-link underline">
            Rules of v{version}
          </Link>
        </p>
      </div>
    </Peek>
  )
}
