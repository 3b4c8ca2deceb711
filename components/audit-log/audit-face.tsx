import { CodeText } from '@/components/kit/list/cells.tsx'
import { copyLink, linkedAt } from '@/components/kit/list/copy-link.ts'
import { type CellProps, defineFace } from '@/components/kit/list/list-face.tsx'
import { markAction } from '@/components/kit/list/marked-foot.tsx'
import { peekAction } from '@/components/kit/list/peek-action.ts'
import { Timestamp } from '@/components/ui/time.tsx'
import { AUDIT_LOG } from '@/server/audit-log/audit-log.list.ts'
import type { ListedAuditEntry } from '@/server/audit-log/audit-log.sql.ts'
import { changeText } from './audit-change.ts'
import { actionText } from './audit-words.ts'

type Props = CellProps<ListedAuditEntry>

const parsePointer = (id: string): string => `/settings/audit-log/${id}`
const buildTitle = ({ actor, action }: ListedAuditEntry): string => `${actor} ${actionText(action)}`

function ChangeCell({ row: { before, after } }: Props) {
  const change = changeText(before, after)
  return (
    <span className="text-text-2" title={change}>
      {change === '' ? '–' : change}
    </span>
  )
}

export const AUDIT_FACE = defineFace(AUDIT_LOG, {
  heading: 'Entries',
  noun: 'entry',
  cells: {
    at: ({ row }: Props) => <Timestamp at={row.at} style="second" />,
    actor: ({ row }: Props) => <span className="font-medium">{row.actor}</span>,
    actorId: ({ row }: Props) => <CodeText text={row.actorId} />,
    action: ({ row }: Props) => actionText(row.action),
    target: ({ row }: Props) => <CodeText text={row.target} />,
    after: ChangeCell,
    origin: ({ row }: Props) => <CodeText text={row.origin ?? ''} />,
  },
  lead: 'action',
  href: ({ id }) => parsePointer(id),
  buildLink: parsePointer,
  title: buildTitle,
  menuName: (entry) => `the entry: ${buildTitle(entry)}`,
  actions: (entry, { marks, peek }) => [
    { name: 'Open', href: parsePointer(entry.id) },
    peekAction(peek, entry.id),
    markAction(marks, entry.id),
    {
      name: 'Copy link',
      onSelect: () => copyLink(linkedAt(parsePointer(entry.id), buildTitle(entry))),
    },
  ],
  Card: ({ row, link }) => (
    <>
      <span className="flex min-w-0 flex-wrap gap-x-1">
        <span className="font-medium">{row.actor}</span> {link}
      </span>
      <span className="line-clamp-2 wrap-anywhere text-small text-text-2">
        <Timestamp at={row.at} style="second" /> · <ChangeCell row={row} />
      </span>
    </>
  ),
  cardHeight: 84,
})
