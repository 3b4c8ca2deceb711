import {
  AtCell,
  CodeText,
  EnvironmentCell,
  EventCell,
  PromptCell,
  SessionCell,
} from '@/components/kit/list/cells.tsx'
import { type CellProps, defineFace } from '@/components/kit/list/list-face.tsx'
import { markAction } from '@/components/kit/list/marked-foot.tsx'
import { peekAction } from '@/components/kit/list/peek-action.ts'
import { toParentSessionId } from '@/components/paths/session-id.ts'
import { shortId } from '@/components/ui/copy.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { DenialFacts } from '@/server/explanations/denial-list.sql.ts'
import { DENIALS } from '@/server/explanations/denials.list.ts'

type Props = CellProps<DenialFacts>

export const DENIAL_FACE = defineFace(DENIALS, {
  heading: 'Denied calls',
  noun: 'denied call',
  cells: {
    at: AtCell,
    environment: EnvironmentCell,
    prompt: PromptCell,
    sessionId: SessionCell,
    seq: EventCell,
    tool: ({ row }: Props) => <CodeText text={row.tool} />,
    decision: ({ row }: Props) => <StatusText status={row.decision} />,
    rule: ({ row }: Props) => <CodeText text={row.rule} />,
    code: ({ row }: Props) => <CodeText text={row.code} />,
    reason: ({ row }: Props) => row.reason,
  },
  lead: 'reason',
  href: ({ id }) => `/decisions/${id}`,
  buildLink: (id) => `/decisions/${id}`,
  toSessionId: toParentSessionId,
  compareWords: 'Compare their sessions',
  title: ({ reason }) => reason,
  why: ({ id }) => `/decisions/${id}`,
  menuName: ({ id }) => `the call ${shortId(id)}`,
  actions: ({ id, sessionId, seq, tool }, { marks, peek }) => [
    { name: 'Open the decision', href: `/decisions/${id}` },
    peekAction(peek, id),
    { name: 'Open in its session', href: `/sessions/${sessionId}?e=${seq}` },
    {
      name: `Denied calls of ${tool}`,
      href: `/decisions?${new URLSearchParams({ tool }).toString()}`,
    },
    markAction(marks, id),
  ],
  Card: ({ row, link }) => (
    <>
      {link}
      <span className="line-clamp-2 wrap-anywhere text-small text-text-2 leading-4">
        <StatusText status={row.decision} /> · <code>{row.tool}</code> · <PromptCell row={row} /> ·{' '}
        <Timestamp at={row.at} style="row" />
      </span>
    </>
  ),
  cardHeight: 88,
})
