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
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { DELIVERIES } from '@/server/feedback/deliveries.list.ts'
import type { DeliveryFacts } from '@/server/feedback/delivery-list.sql.ts'
import { FollowedText } from './followed-text.tsx'

type Props = CellProps<DeliveryFacts>

const buildHref = ({ sessionId, seq }: DeliveryFacts): string => `/sessions/${sessionId}?e=${seq}`
const feedbackText = ({ says }: DeliveryFacts): string => (says === '' ? 'no text' : says)

export const DELIVERY_FACE = defineFace(DELIVERIES, {
  heading: 'Feedback delivered',
  noun: 'delivery',
  cells: {
    at: AtCell,
    environment: EnvironmentCell,
    prompt: PromptCell,
    sessionId: SessionCell,
    seq: EventCell,
    provider: ({ row }: Props) => <CodeText text={row.provider} />,
    name: ({ row }: Props) => <span title={row.name}>{row.name}</span>,
    severity: ({ row }: Props) => <StatusText status={row.severity} />,
    followed: ({ row }: Props) => <FollowedText followed={row.followed} />,
    says: ({ row }: Props) => feedbackText(row),
  },
  lead: 'says',
  href: buildHref,
  buildLink: (id) => `/e/${id}`,
  toSessionId: toParentSessionId,
  compareWords: 'Compare their sessions',
  title: feedbackText,
  menuName: ({ id }) => `the feedback ${shortId(id)}`,
  actions: (delivery, { marks, peek }) => [
    { name: 'Open in its session', href: buildHref(delivery) },
    peekAction(peek, delivery.id),
    {
      name: `Feedback of ${delivery.provider}`,
      href: `/feedback?${new URLSearchParams({ provider: delivery.provider }).toString()}`,
    },
    markAction(marks, delivery.id),
  ],
  Card: ({ row: { severity, provider, followed, prompt, sessionId, at }, link }) => (
    <>
      {link}
      <span className="line-clamp-2 wrap-anywhere text-small text-text-2 leading-4">
        <StatusText status={severity} /> · <code>{provider}</code> ·{' '}
        <FollowedText followed={followed} /> · <Timestamp at={at} style="row" />
        <span className="sr-only">{prompt}</span> <DemoTag session={sessionId} />
      </span>
    </>
  ),
  cardHeight: 88,
})
