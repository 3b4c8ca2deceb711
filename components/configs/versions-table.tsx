'use client'

import { useQuery } from '@tanstack/react-query'
import { resultText } from '@/components/backtests/words.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath, versionPath } from '@/components/paths/config-path.ts'
import { liveIn } from '@/components/paths/live-in.ts'
import type { Move } from '@/components/releases/moves.ts'
import { ReleaseButton } from '@/components/shell/release-button.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, Skeleton } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'

export function VersionsTable({
  config,
  chain,
  onMove,
  compare,
}: {
  readonly config: ConfigDetail
  readonly chain: readonly string[]
  readonly onMove: (move: Move) => void
  /** Absent: nothing can be marked here. */
  readonly compare?: {
    readonly marked: readonly number[]
    readonly onMark: (version: number) => void
  }
}) {
  const tested = useTested(config)
  if (config.versions.length === 0) {
    return <EmptyState title="No versions yet.">The first publish makes version 1.</EmptyState>
  }
  return (
    <Table isStacked>
      <thead>
        <tr>
          <HeadCell>Version</HeadCell>
          <HeadCell>Runs in</HeadCell>
          <HeadCell>Note</HeadCell>
          <HeadCell>Author</HeadCell>
          <HeadCell>Created</HeadCell>
          <HeadCell>Backtest</HeadCell>
          <HeadCell>Digest</HeadCell>
          <HeadCell className="relative">
            <span className="sr-only">Next step</span>
          </HeadCell>
        </tr>
      </thead>
      <tbody>
        {config.versions.map(({ number, digest, note, author, createdAt }, index) => {
          const before = config.versions[index + 1]?.number
          const runsIn = listServing(config, chain, number)
          const next = nextStep(config, chain, number)
          return (
            <Row key={number} data-version={number} className="focus-within:bg-row-selected">
              <Cell className="font-mono text-mono">
                <Link
                  data-row
                  href={comparisonPath(config, before, number)}
                  title={before === undefined ? 'The first version' : `What v${number} changed`}
                  className="text-link hover:underline"
                >
                  v{number}
                </Link>
              </Cell>
              <Cell label="Runs in">{runsIn.length === 0 ? '–' : runsIn.join(', ')}</Cell>
              <Cell label="Note" title={note ?? undefined}>
                {note ?? '–'}
              </Cell>
              <Cell label="Author">{author ?? 'A former member'}</Cell>
              <Cell label="Created">
                <Timestamp at={createdAt} style="row" />
              </Cell>
              <Cell label="Backtest">
                <TestedCell tested={tested} number={number} />
              </Cell>
              <Cell label="Digest">
                <span className="inline-flex items-center gap-0.5">
                  <code title={digest} className="text-text-2">
                    {digest.slice(7, 11)}…{digest.slice(-4)}
                  </code>
                  <CopyButton text={digest} label={`Copy the digest of v${number}`} />
                </span>
              </Cell>
              <Cell className="text-right">
                {compare !== undefined && (
                  <Button
                    variant={compare.marked.includes(number) ? 'secondary' : 'quiet'}
                    className="mr-1"
                    aria-pressed={compare.marked.includes(number)}
                    aria-label={`Compare v${number}`}
                    onClick={() => compare.onMark(number)}
                  >
                    Compare
                  </Button>
                )}
                {next !== null && (
                  <ReleaseButton
                    environment={next}
                    onClick={() => onMove({ kind: 'promote', environment: next, version: number })}
                  >
                    Promote to {next}
                  </ReleaseButton>
                )}
              </Cell>
            </Row>
          )
        })}
      </tbody>
    </Table>
  )
}

function useTested({ ns, key }: ConfigDetail) {
  const trpc = useTRPC()
  const query = useQuery(trpc.backtests.ofVersions.queryOptions({ ns, key }))
  useReadOnChange({ kind: 'backtest' }, query)
  return query
}

function TestedCell({
  tested: { data, isError },
  number,
}: {
  readonly tested: ReturnType<typeof useTested>
  readonly number: number
}) {
  if (data === undefined) {
    return isError ? <span className="text-text-2">not loaded</span> : <Skeleton className="w-16" />
  }
  const run = data.find((one) => one.number === number)
  if (run === undefined) return <span className="text-text-3">no backtest</span>
  const text = resultText(run)
  return (
    <Link
      href={`/backtests/${run.backtestId}`}
      title={text}
      aria-label={`Backtest of v${number}: ${text}`}
      className="text-link hover:underline"
    >
      {text}
    </Link>
  )
}

function comparisonPath(
  { ns, key }: ConfigDetail,
  before: number | undefined,
  number: number,
): string {
  if (before === undefined) return versionPath({ ns, key, number })
  return `${configPath(ns, key)}/versions?compare=${before},${number}`
}

/** Environments that serve the version, in order of promotion once the chain is loaded. */
function listServing(
  { pointers }: ConfigDetail,
  chain: readonly string[],
  number: number,
): readonly string[] {
  const names = pointers.filter(({ version }) => version === number)
  return names
    .map(({ environment }) => environment)
    .sort((a, b) => chain.indexOf(a) - chain.indexOf(b))
}

/** Environment after the last one that serves this version; null: it is live nowhere, or in the last environment. */
function nextStep(config: ConfigDetail, chain: readonly string[], version: number): string | null {
  const last = chain.findLastIndex((name) => liveIn(config, name) === version)
  if (last === -1) return null
  return chain[last + 1] ?? null
}
