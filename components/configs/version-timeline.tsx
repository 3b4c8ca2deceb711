'use client'
import { countText, plural, pluralize, shareText } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { ReleaseStanding } from '@/components/releases/release-standing.tsx'
import { describeStanding } from '@/components/releases/standing-words.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ScrollBox } from '@/components/ui/scroll-box.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { VersionTimeline as Timeline } from '@/server/releases/release-pages.ts'
import { buildMarks, hasTrafficSinceRelease, type Mark, toBars } from './timeline-shape.ts'

export function VersionTimeline({ ns, name }: { readonly ns: string; readonly name: string }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.releases.timeline.queryOptions({ ns, key: name }))
  useReadOnChange([{ kind: 'release' }, { kind: 'runtime' }], query)
  return (
    <Card>
      <CardHeader
        title="Releases and results"
        aside="share of denied calls and blocked stops, by the start of this config's sessions"
      />
      {query.isPending && <SkeletonRows />}
      {query.isError && (
        <ErrorState
          what="The timeline could not be loaded."
          why={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data !== undefined && <Lanes timeline={query.data} />}
    </Card>
  )
}

/** The label stays visible while its lane scrolls; on a phone it is above its bar, so that it covers none. */
const LANE_LABEL = 'sticky left-0 z-10 w-fit max-w-full truncate bg-surface pr-2 sm:w-auto'

function Lanes({ timeline }: { readonly timeline: Timeline }) {
  const { since, until, environments } = timeline
  return (
    <ScrollBox label="Releases over time" className="overflow-x-auto">
      <div className="flex flex-col gap-3 p-3 sm:min-w-[560px]">
        {environments.map((lane) => (
          <LaneView key={lane.name} lane={lane} timeline={timeline} />
        ))}
        <div className="flex justify-between text-small text-text-3 sm:ml-[168px]">
          <Timestamp at={since} style="second" />
          <Timestamp at={until} style="second" />
        </div>
      </div>
    </ScrollBox>
  )
}

type Release = Timeline['environments'][number]['releases'][number]

function barText({ kind, version, previousVersion }: Release): string {
  return kind === 'rollback' ? `v${previousVersion}→v${version} rolled back` : `v${version}`
}

/** Reports a version that has not arrived everywhere, which a bar cannot show. */
function Current({ release }: { readonly release: Release | undefined }) {
  if (release?.status !== 'partial' && release?.status !== 'publishing') return null
  return (
    <div className="sm:col-start-2">
      <ReleaseStanding release={release} />
    </div>
  )
}

/** Percentage of the lane that a bar needs to show its name; a narrower bar has it as a tooltip. */
const LEGIBLE = 4

function LaneView({
  lane,
  timeline,
}: {
  readonly lane: Timeline['environments'][number]
  readonly timeline: Timeline
}) {
  const bars = toBars(lane, timeline)
  return (
    <section
      aria-label={lane.name}
      className="grid items-center gap-y-0.5 sm:grid-cols-[168px_minmax(0,1fr)]"
    >
      <h3 className={clsx(LANE_LABEL, 'font-medium')}>{lane.name}</h3>
      <div className="relative h-6 rounded-badge bg-surface-2">
        {bars.length === 0 && (
          <span className="px-2 text-small text-text-3 leading-6">no releases</span>
        )}
        {bars.map(({ release, left, width, isCurrent }) => (
          <Link
            key={release.id}
            href={`/releases/${release.id}`}
            title={`${barText(release)} · ${describeStanding(release)}`}
            className={clsx(
              'absolute inset-y-0 min-w-1.5 overflow-hidden text-ellipsis whitespace-nowrap rounded-badge border border-border-strong px-1 font-mono text-mono leading-[22px] hover:bg-row-selected',
              isCurrent ? 'bg-surface font-medium' : 'bg-surface-3 text-text-2',
            )}
            style={{ left: `min(${left}%, 100% - 6px)`, width: `${width}%` }}
          >
            <span className={clsx(width < LEGIBLE && 'sr-only')}>{barText(release)}</span>
          </Link>
        ))}
      </div>
      {lane.releases.length > 0 && (
        <>
          <Shares label="denied" hue="bg-deny-mark" marks={buildMarks(lane, timeline, 'denied')} />
          <Shares
            label="blocked"
            hue="bg-blocked-mark"
            marks={buildMarks(lane, timeline, 'blocked')}
          />
          <Current release={lane.releases.at(-1)} />
          {!hasTrafficSinceRelease(lane, timeline.bucketMs) && (
            <p className="text-small text-text-2 sm:col-start-2">
              No session since v{lane.releases.at(-1)?.version} was released here.
            </p>
          )}
        </>
      )}
    </section>
  )
}

function Shares({
  label,
  hue,
  marks,
}: {
  readonly label: string
  readonly hue: string
  readonly marks: readonly Mark[]
}) {
  const counted = marks.filter(({ whole }) => whole > 0)
  const part = counted.reduce((sum, mark) => sum + mark.part, 0)
  const whole = counted.reduce((sum, mark) => sum + mark.whole, 0)
  const text = whole === 0 ? 'none counted' : `${shareText(part, whole)} of ${countText(whole)}`
  const noun = label === 'denied' ? 'call' : 'stop'
  return (
    <>
      <span className={clsx(LANE_LABEL, 'text-small text-text-2')}>
        {whole === 0 ? `no ${pluralize(noun)}` : `${text} ${pluralize(noun)} ${label}`}
      </span>
      <div
        role="img"
        aria-label={`${pluralize(noun)} ${label}: ${text}`}
        className="relative h-5 border-border border-b"
      >
        {counted.map(({ left, width, at, share, ...mark }) => (
          <span
            key={at}
            title={`${shareText(mark.part, mark.whole)} of ${plural(mark.whole, noun)}`}
            className={clsx('absolute bottom-0 min-w-[3px]', share === 0 ? 'bg-neutral-mark' : hue)}
            style={{
              left: `${left}%`,
              width: `calc(${width}% - 1px)`,
              height: `${Math.max(6, (share ?? 0) * 100)}%`,
            }}
          />
        ))}
      </div>
    </>
  )
}
