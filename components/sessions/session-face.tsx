import { plural } from '@signalbox/core/analysis'
import { EnforcementBadge } from '@/components/enforcement/enforcement-badge.tsx'
import { PromptCell } from '@/components/kit/list/cells.tsx'
import { copyLink, linkedAt } from '@/components/kit/list/copy-link.ts'
import { type CellProps, defineFace } from '@/components/kit/list/list-face.tsx'
import { markAction } from '@/components/kit/list/marked-foot.tsx'
import { peekAction } from '@/components/kit/list/peek-action.ts'
import type { MenuItem } from '@/components/ui/menu-button.tsx'
import { Ago } from '@/components/ui/time.tsx'
import type { SessionFacts } from '@/server/sessions/session-columns.sql.ts'
import { SESSIONS } from '@/server/sessions/sessions.list.ts'
import {
  ActivityText,
  CountText,
  LastEvent,
  LastStop,
  originText,
  planText,
  TimeText,
  tokensText,
  VersionText,
} from './session-cells.tsx'

type Props = CellProps<SessionFacts>

const buildHref = ({ id }: SessionFacts): string => `/sessions/${id}`

/** The last stop, else the denied calls; null: the session has neither. */
function findWhy({ id, lastStopId, denied }: SessionFacts): string | null {
  if (lastStopId !== null) return `/stops/${lastStopId}`
  return denied === 0 ? null : `/decisions?${new URLSearchParams({ q: `session:${id}` })}`
}

function whyItem(session: SessionFacts): MenuItem {
  const href = findWhy(session)
  if (href === null) {
    return { name: 'Explain the last stop', refusal: 'No stop attempts and no denied calls yet.' }
  }
  const what = session.lastStopId === null ? 'the denied calls' : 'the last stop'
  return { name: `Why: open ${what}`, href }
}

export const SESSION_FACE = defineFace(SESSIONS, {
  heading: 'Sessions',
  noun: 'session',
  cells: {
    environment: ({ row }: Props) => row.environment,
    prompt: ({ row: { id, prompt, ns } }: Props) => (
      <PromptCell row={{ prompt, ns, sessionId: id }} />
    ),
    status: ({ row }: Props) => <ActivityText session={row} />,
    configVersion: ({ row }: Props) => <VersionText session={row} />,
    liveVersion: ({ row }: Props) => (row.liveVersion === null ? '–' : `v${row.liveVersion}`),
    runtimeName: ({ row }: Props) => row.runtimeName ?? '–',
    harness: ({ row }: Props) => (
      <span className="text-text-2" title={originText(row)}>
        {row.harness.name ?? row.runtimeName ?? '–'}
      </span>
    ),
    startedAt: ({ row }: Props) => (
      <span className="text-text-2">
        <Ago at={row.startedAt} />
      </span>
    ),
    endedAt: ({ row }: Props) => (row.endedAt === null ? '–' : <Ago at={row.endedAt} />),
    endReason: ({ row }: Props) => row.endReason ?? '–',
    deadlineAt: ({ row }: Props) => <TimeText session={row} />,
    tokensUsed: ({ row }: Props) => (
      <span title={plural(row.tokensUsed, 'token')}>{tokensText(row)}</span>
    ),
    planDone: ({ row }: Props) => planText(row),
    calls: ({ row }: Props) => <CountText value={row.calls} />,
    denied: ({ row }: Props) => <CountText value={row.denied} />,
    feedback: ({ row }: Props) => <CountText value={row.feedback} />,
    warnings: ({ row }: Props) => <CountText value={row.warnings} />,
    stopAttempts: ({ row }: Props) => <CountText value={row.stopAttempts} />,
    stopsBlocked: ({ row }: Props) => <CountText value={row.stopsBlocked} />,
    lastVerdict: ({ row }: Props) => <LastStop session={row} />,
    lastEventText: ({ row }: Props) => <LastEvent session={row} />,
  },
  lead: 'prompt',
  href: buildHref,
  buildLink: (id) => `/sessions/${id}`,
  toSessionId: (id) => id,
  compareWords: 'Compare',
  title: ({ prompt }) => prompt,
  why: findWhy,
  noWhy: 'This session has no stop attempts and no denied calls yet.',
  menuName: ({ prompt }) => prompt,
  actions: (session, { marks, peek }) => [
    { name: 'Open', href: buildHref(session) },
    peekAction(peek, session.id),
    whyItem(session),
    markAction(marks, session.id),
    { name: 'Compare with another', href: `/sessions/compare?a=${session.id}` },
    {
      name: 'Copy link',
      onSelect: () => copyLink(linkedAt(buildHref(session), session.prompt)),
    },
    { name: 'Events as JSONL', href: `/api/export/sessions/${session.id}`, isFile: true },
  ],
  Aside: ({ row }) => <EnforcementBadge facts={row} isBrief />,
  Card: ({ row, link }) => {
    const facts = [
      row.harness.name ?? '',
      planText(row) === '–' ? '' : `plan ${planText(row)}`,
      row.denied > 0 ? `denied ${row.denied}` : '',
      row.warnings > 0 ? `warnings ${row.warnings}` : '',
    ].filter(Boolean)
    return (
      <>
        <span className="flex min-w-0 items-center gap-2">
          <ActivityText session={row} />
          <span className="min-w-0 flex-1">{link}</span>
          {row.lastStopId === null ? null : (
            <span className="shrink-0">
              <LastStop session={row} />
            </span>
          )}
        </span>
        <span className="line-clamp-2 text-small text-text-2 leading-4">
          {(row.endedAt !== null || row.status === 'running') && (
            <>
              <TimeText session={row} /> ·{' '}
            </>
          )}
          <Ago at={row.lastEventAt} />
          {facts.map((fact) => ` · ${fact}`).join('')}
        </span>
      </>
    )
  },
  cardHeight: 84,
})
