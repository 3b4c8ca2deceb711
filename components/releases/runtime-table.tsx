import { plural } from '@signalbox/core/analysis'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { durationText, Timestamp } from '@/components/ui/time.tsx'
import type { Adoption, RuntimeAdoption } from '@/server/releases/adoption.ts'
import { RUNTIME_LOOK } from './adoption-view.tsx'

const ORDER = ['rejected', 'pending', 'stale', 'applied'] as const
const MOST = 50

function sortByProblem(runtimes: readonly RuntimeAdoption[]): readonly RuntimeAdoption[] {
  return [...runtimes].sort(
    (a, b) =>
      ORDER.indexOf(a.state) - ORDER.indexOf(b.state) ||
      (a.appliedAt ?? 0) - (b.appliedAt ?? 0) ||
      a.name.localeCompare(b.name),
  )
}

/** The first runtime that keeps the release from being live; null: none does. */
export function findHolder(adoption: Adoption): RuntimeAdoption | null {
  const [first] = sortByProblem(adoption.runtimes)
  return first?.state === 'rejected' || first?.state === 'pending' ? first : null
}

export function RuntimeTable({
  adoption,
  previousVersion,
}: {
  readonly adoption: Adoption
  readonly previousVersion: number | null
}) {
  const sorted = sortByProblem(adoption.runtimes)
  const shown = sorted.slice(0, MOST)
  return (
    <Card>
      <CardHeader title="Runtimes" aside={`${adoption.total} connected that host this prompt`} />
      <Table isStacked>
        <thead>
          <tr>
            <HeadCell>Runtime</HeadCell>
            <HeadCell>State</HeadCell>
            <HeadCell>Applied at</HeadCell>
            <HeadCell>Runs</HeadCell>
            <HeadCell className="text-right">Running</HeadCell>
          </tr>
        </thead>
        <tbody>
          {shown.map((runtime) => (
            <RuntimeRow key={runtime.id} runtime={runtime} releasedAt={adoption.createdAt} />
          ))}
        </tbody>
      </Table>
      <p className="border-border border-t px-3 py-2 text-small text-text-2">
        {describeKeeping(adoption, previousVersion)}
        {sorted.length > MOST && ` ${plural(sorted.length - MOST, 'more runtime')} not shown.`}
      </p>
    </Card>
  )
}

function RuntimeRow({
  runtime: { id, name, state, reason, appliedAt, runs, running },
  releasedAt,
}: {
  readonly runtime: RuntimeAdoption
  readonly releasedAt: number
}) {
  const [status, word] = RUNTIME_LOOK[state]
  return (
    <Row>
      <Cell className="font-medium">
        <Link href={`/runtimes/${id}`} className="hover:underline">
          {name}
        </Link>
      </Cell>
      <Cell className="max-w-none whitespace-normal break-words">
        <StatusText status={status}>
          <span className="whitespace-normal">
            {state === 'rejected' ? `Rejected: ${reason ?? 'no reason given'}` : word}
          </span>
        </StatusText>
      </Cell>
      <Cell label="Applied at" className="font-mono text-mono">
        {appliedAt === null ? (
          '–'
        ) : (
          <>
            <Timestamp at={appliedAt} style="time" />
            {appliedAt >= releasedAt && ` (${durationText(appliedAt - releasedAt)})`}
          </>
        )}
      </Cell>
      <Cell label="Runs">
        {runs === null ? (
          '–'
        ) : (
          <code className="rounded-badge border border-border bg-surface-2 px-1.5 font-medium">
            v{runs}
          </code>
        )}
      </Cell>
      <Cell label="Running" className="text-right tabular-nums">
        {running}
      </Cell>
    </Row>
  )
}

function describeKeeping({ runtimes }: Adoption, previousVersion: number | null): string {
  const keeping = runtimes.reduce((sum, runtime) => sum + runtime.keeping, 0)
  const isKept = keeping > 0 && previousVersion !== null
  const sessions = !isKept
    ? 'No running session keeps an earlier version.'
    : `${plural(keeping, 'running session')} ${keeping === 1 ? `keeps v${previousVersion} until it ends.` : `keep v${previousVersion} until they end.`}`
  const refused = runtimes.filter(({ state }) => state === 'rejected')
  const [first] = refused
  if (first === undefined) return sessions
  const isOne = refused.length === 1
  const who = isOne ? first.name : `${refused.length} runtimes`
  if (first.runs === null)
    return `${sessions} ${who} ${isOne ? 'has' : 'have'} no version yet: every call is denied unless it started with rules of its own.`
  return `${sessions} ${who} ${isOne ? 'uses' : 'use'} v${first.runs} for new sessions${isKept ? ', too' : ''}.`
}
