import { type OpenedBundle, statusSentence } from '@signalbox/cli/portable'
import { ENGINE_VERSION, plural, summarizeEvent } from '@signalbox/core/analysis'
import { clsx } from 'clsx'
import { ExplanationColumns } from '@/components/explanations/explanation-columns.tsx'
import { stopHeadline } from '@/components/explanations/stop-headline.ts'
import { Card, CardHeader, type KeyValue, KeyValueList } from '@/components/ui/card.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { isStatus, type Status, StatusBadge } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { ChecksCard, MessageCard, RulesCard, StepsCard } from './reading-cards.tsx'
import type { ShownBundle } from './shown-bundle.ts'

const SHOWN = 100

function LogCard({ opened }: { readonly opened: ShownBundle }) {
  const { events } = opened
  const last = events.slice(-SHOWN)
  const aside =
    events.length > SHOWN
      ? `the last ${SHOWN} of ${plural(events.length, 'event')}`
      : plural(events.length, 'event')
  return (
    <Card>
      <CardHeader title="Log" aside={aside} />
      {events.length === 0 ? (
        <p className="p-3 text-text-2">The file has no events.</p>
      ) : (
        <ul className="max-h-[480px] overflow-y-auto p-3" aria-label="Events">
          {last.map((event) => (
            <li key={event.seq}>
              <details>
                <summary className="cursor-pointer break-words">
                  <span className="font-mono text-mono text-text-3">#{event.seq}</span>{' '}
                  <span className="font-mono text-mono">{event.type}</span>{' '}
                  <span className="text-small text-text-2">{summarizeEvent(event).summary}</span>
                </summary>
                <pre className="overflow-x-auto whitespace-pre-wrap break-words bg-surface-2 p-2">
                  {JSON.stringify(event.data, null, 2)}
                </pre>
              </details>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const OUTCOME = {
  verified: { badge: 'verified', word: 'Verified', box: 'border-allow-bd bg-allow-bg' },
  diverged: { badge: 'diverged', word: 'Diverged', box: 'border-deny-bd bg-deny-bg' },
  refused: { badge: 'rejected', word: 'Refused', box: 'border-deny-bd bg-deny-bg' },
  not_replayable: {
    badge: 'pending',
    word: 'Not replayable',
    box: 'border-caution-bd bg-caution-bg',
  },
} as const satisfies Record<OpenedBundle['status'], { badge: Status; word: string; box: string }>

export function OpenedView({
  opened,
  name,
}: {
  readonly opened: OpenedBundle
  readonly name: string
}) {
  const { badge, word, box } = OUTCOME[opened.status]
  return (
    <>
      <section
        role={opened.status === 'refused' ? 'alert' : 'status'}
        aria-label="Outcome"
        className={clsx(
          'mx-4 mb-3 flex flex-wrap items-baseline gap-2 rounded-card border px-3 py-2',
          box,
        )}
      >
        <StatusBadge status={badge}>{word}</StatusBadge>
        <p className="min-w-0 flex-1 basis-80 break-words">
          {statusSentence(opened)} <span className="text-small text-text-2">{name}</span>
        </p>
      </section>
      {opened.status === 'refused' ? null : <Decision opened={opened} />}
    </>
  )
}

const STOP_VERDICTS = ['allowed', 'blocked', 'bypassed', 'no_checker', 'error'] as const

function describeOpened({ head, reading }: ShownBundle) {
  const { verdict, sentence, checks } = reading
  const stopVerdict = STOP_VERDICTS.find((one) => one === verdict)
  if (head.kind === 'stop' && stopVerdict !== undefined)
    return stopHeadline(
      { verdict: stopVerdict, code: '', reason: sentence },
      checks?.status ?? null,
    )
  const status: Status = isStatus(verdict) ? verdict : 'unknown'
  return { status, word: `Call ${verdict}`, sentence }
}

function Decision({ opened }: { readonly opened: ShownBundle }) {
  const { head, reading } = opened
  const { status, word, sentence } = describeOpened(opened)
  const version = head.configs.at(-1)?.version ?? null
  return (
    <div data-report>
      <PageHeader
        above={`${head.session} › ${head.kind === 'stop' ? 'Stop' : 'Decision'} #${head.seq}`}
        badge={<StatusBadge status={status}>{word}</StatusBadge>}
        title={sentence}
        facts={
          <p className="text-small">
            <Timestamp at={head.at} /> · config{' '}
            <span className="font-mono text-mono">
              {head.ns}/{head.key}
              {version === null ? '' : `@v${version}`}
            </span>{' '}
            in {head.environment}
            {reading.from === 'told'
              ? ' · as recorded by the control plane, not recomputed here'
              : ' · recomputed here'}
          </p>
        }
      />
      <ExplanationColumns
        main={
          <>
            <StepsCard opened={opened} />
            {head.kind === 'stop' ? <ChecksCard opened={opened} /> : <RulesCard opened={opened} />}
            <MessageCard opened={opened} />
            <DivergenceCard opened={opened} />
          </>
        }
        side={
          <>
            <OriginCard opened={opened} />
            <LogCard opened={opened} />
          </>
        }
      />
    </div>
  )
}

function DivergenceCard({ opened }: { readonly opened: ShownBundle }) {
  if (opened.status !== 'diverged' || opened.divergence.why === 'broken_chain') return null
  const { at, expected, recorded } = opened.divergence
  const parts = [
    ['Recomputed', expected],
    ['Recorded', recorded],
  ] as const
  return (
    <Card>
      <CardHeader title="Divergence" aside={`at #${at}`} />
      {parts.map(([title, value]) => (
        <div key={title} className="p-3">
          <p className="text-small text-text-2">{title}</p>
          <pre className="overflow-x-auto whitespace-pre-wrap break-words">
            {value === null ? 'nothing' : JSON.stringify(value, null, 2)}
          </pre>
        </div>
      ))}
    </Card>
  )
}

const mono = (text: string) => <code className="break-all font-mono text-mono">{text}</code>

function OriginCard({ opened }: { readonly opened: ShownBundle }) {
  const { head, signer } = opened
  const items: readonly KeyValue[] = [
    { name: 'Signed by', value: mono(signer.keyId) },
    {
      name: 'Known',
      value: signer.isKnown
        ? 'yes: it matches the given key'
        : 'not verified against a known key: anyone may have signed',
    },
    { name: 'Created', value: <Timestamp at={head.made_at} style="second" /> },
    { name: 'Page', value: mono(head.url) },
    { name: 'Project', value: `${head.project}, ${head.environment}` },
    ...head.configs.map(
      ({ digest, version }): KeyValue => ({
        name: version === null ? 'Version' : `Version ${version}`,
        value: mono(digest),
      }),
    ),
    { name: 'Engine', value: `${head.engine}; this page: ${ENGINE_VERSION}` },
    { name: 'Runtime', value: head.runtime ?? 'not recorded' },
    {
      name: 'Redacted',
      value:
        head.redacted === 0
          ? 'nothing'
          : `${plural(head.redacted, 'value')}, before they were recorded`,
    },
    {
      name: 'Missing',
      value: head.missing.length === 0 ? 'nothing' : head.missing.map(({ why }) => why).join(' '),
    },
  ]
  return (
    <Card>
      <CardHeader title="Where it comes from" />
      <KeyValueList className="p-3" items={items} />
    </Card>
  )
}
