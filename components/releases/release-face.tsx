import type { ReactNode } from 'react'
import { EnvironmentCell, PromptCell } from '@/components/kit/list/cells.tsx'
import { copyLink, linkedAt } from '@/components/kit/list/copy-link.ts'
import { type CellProps, defineFace } from '@/components/kit/list/list-face.tsx'
import { markAction } from '@/components/kit/list/marked-foot.tsx'
import { peekAction } from '@/components/kit/list/peek-action.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ListedRelease } from '@/server/releases/release-list.sql.ts'
import { RELEASES } from '@/server/releases/releases.list.ts'
import { AppliedCounts, ReleaseStanding } from './release-standing.tsx'
import { ReleaseWords } from './release-words.tsx'

type Props = CellProps<ListedRelease>

const findPath = (id: string): string => `/releases/${id}`
const formatTitle = ({ prompt }: ListedRelease): string => `Release of ${prompt}`
const formatAuthor = ({ author }: ListedRelease): string => author ?? 'A former member'

function Wrapped({
  title,
  children,
}: {
  readonly title?: string | undefined
  readonly children: ReactNode
}) {
  return (
    <span title={title} className="line-clamp-2 whitespace-normal break-words leading-tight">
      {children}
    </span>
  )
}

function AuthorCell({ row }: Props) {
  const author = formatAuthor(row)
  return <span title={author}>{author}</span>
}

export const RELEASE_FACE = defineFace(RELEASES, {
  heading: 'Releases',
  noun: 'release',
  cells: {
    prompt: PromptCell,
    environment: EnvironmentCell,
    version: ({ row: { version, previousVersion, kind } }: Props) => (
      <code
        title={
          previousVersion === null
            ? undefined
            : `${kind === 'rollback' ? 'rolled back from' : 'replaced'} v${previousVersion}`
        }
        // Of its own height, so that the cell does not cut its border.
        className="inline-block rounded-badge border border-border bg-surface-2 px-1.5 font-medium"
      >
        v{version}
      </code>
    ),
    status: ({ row }: Props) => <ReleaseStanding release={row} isBrief />,
    applied: ({ row }: Props) => <AppliedCounts release={row} />,
    author: AuthorCell,
    note: ({ row }: Props) => <Wrapped title={row.note ?? undefined}>{row.note ?? '–'}</Wrapped>,
    revision: ({ row }: Props) => row.revision,
    createdAt: ({ row }: Props) => <Timestamp at={row.createdAt} style="row" />,
  },
  lead: 'prompt',
  href: ({ id }) => findPath(id),
  buildLink: findPath,
  title: formatTitle,
  menuName: (release) => `the release of ${release.prompt}`,
  actions: (release, { marks, peek }) => [
    { name: 'Open', href: findPath(release.id) },
    peekAction(peek, release.id),
    markAction(marks, release.id),
    {
      name: 'Versions of the config',
      href: `${configPath(release.ns, release.key)}/versions`,
    },
    {
      name: 'Copy link',
      onSelect: () => copyLink(linkedAt(findPath(release.id), formatTitle(release))),
    },
  ],
  Card: ({ row, link }) => (
    <>
      {link}
      <span className="line-clamp-2">
        <ReleaseWords release={row} />
      </span>
      <ReleaseStanding release={row} isBrief />
      <span className="line-clamp-2 wrap-anywhere text-small text-text-2">
        by {formatAuthor(row)} · <Timestamp at={row.createdAt} style="row" />
        {row.note === null ? '' : ` · “${row.note}”`}
      </span>
    </>
  ),
  cardHeight: 140,
  rowHeight: 44,
})
