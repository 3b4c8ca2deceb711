'use client'

import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import type { WatchedFile } from '@/server/sessions/session-contents.sql.ts'

/** The server returns one more if more exist. */
const MOST_SHOWN_FILES = 500

/** `since`: event to open; null: nothing happened to the file. */
function describeFate(file: WatchedFile): {
  readonly word: string
  readonly since: number | null
} {
  const { wasThere, isThere, seenSeq, contents } = file
  if (!wasThere && seenSeq === null) return { word: 'never existed', since: null }
  if (!isThere) return { word: 'gone', since: file.lastSeq }
  const changes = contents > 1 ? `, ${contents} different contents seen` : ''
  if (!wasThere) return { word: `created${changes}`, since: seenSeq }
  return { word: contents > 1 ? `changed${changes}` : 'unchanged', since: null }
}

export function FilesTab({
  sessionId,
  onShow,
}: {
  readonly sessionId: string
  readonly onShow: (seq: number) => void
}) {
  const trpc = useTRPC()
  const query = useQuery(trpc.sessions.files.queryOptions({ sessionId }))
  if (query.data === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The files could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  if (query.data.length === 0) {
    return (
      <EmptyState title="No files in this session.">
        Files are recorded when a rule needs them: read before write, files that must exist,
        feedback on a file.
      </EmptyState>
    )
  }
  const shown = query.data.slice(0, MOST_SHOWN_FILES)
  return (
    <div className="min-h-0 flex-1 overflow-y-auto bg-surface">
      {query.data.length > shown.length ? (
        <p className="border-border border-b px-3 py-1.5 text-small text-text-2">
          Showing the first {shown.length} files by path; there are more. The export contains all of
          them.
        </p>
      ) : null}
      <Table isStacked>
        <thead>
          <tr>
            {['File', 'In this session', 'Look-ups', 'First', 'Last'].map((title) => (
              <HeadCell key={title}>{title}</HeadCell>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((file) => (
            <FileRow key={file.path} file={file} onShow={onShow} />
          ))}
        </tbody>
      </Table>
    </div>
  )
}

function FileRow({
  file,
  onShow,
}: {
  readonly file: WatchedFile
  readonly onShow: (seq: number) => void
}) {
  const { word, since } = describeFate(file)
  return (
    <Row>
      <Cell className="font-mono text-mono" title={file.path}>
        {file.path}
      </Cell>
      <Cell label="In this session">
        {word}
        {since === null ? null : (
          <>
            {' '}
            <EventButton seq={since} onShow={onShow} />
          </>
        )}
      </Cell>
      <Cell label="Look-ups" className="tabular-nums">
        {plural(file.looks, 'time')}
      </Cell>
      <Cell label="First">
        <EventButton seq={file.firstSeq} onShow={onShow} />
      </Cell>
      <Cell label="Last">
        <EventButton seq={file.lastSeq} onShow={onShow} />
      </Cell>
    </Row>
  )
}

function EventButton({
  seq,
  onShow,
}: {
  readonly seq: number
  readonly onShow: (seq: number) => void
}) {
  return (
    <button
      type="button"
      aria-label={`Show event ${seq} in the timeline`}
      onClick={() => onShow(seq)}
      className="min-h-6 font-mono text-link text-mono"
    >
      #{seq}
    </button>
  )
}
